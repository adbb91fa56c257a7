import type { ServiceContext } from '../../src/service/http/client.ts';
import type { DeploymentConnection } from './deployment-context.ts';

/** A client of two deployments, as after a change of the active profile. */
export interface SwitchedService {
  readonly context: ServiceContext;
  /** Makes the second deployment the active one. */
  readonly switchProfile: () => void;
}

/** Creates a client of the first deployment. Requests use real HTTP, and the key of the deployment that receives them. */
export function createSwitchedService(
  first: DeploymentConnection,
  second: DeploymentConnection,
): SwitchedService {
  let active = first;
  return {
    context: { ...first.context, endpoint: () => active.context.endpoint() },
    switchProfile: () => {
      active = second;
    },
  };
}

/** Calls `run` after the deployment has answered a request to a path that ends in `path`. */
export const runAfterReply = (
  context: ServiceContext,
  path: string,
  run: () => void,
): ServiceContext => ({
  ...context,
  transport: async () => {
    const transport = await context.transport();
    return {
      ...transport,
      send: async (sent) => {
        const reply = await transport.send(sent);
        if (sent.url.pathname.endsWith(path)) run();
        return reply;
      },
    };
  },
});
