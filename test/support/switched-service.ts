import type { ServiceContext } from '../../src/service/http/client.ts';
import type { DeploymentConnection } from './deployment-context.ts';

/** Client that first uses one deployment and later another. Simulates a change of the active profile. */
export interface SwitchedService {
  readonly context: ServiceContext;
  /** Makes the client use the second deployment. */
  readonly switchProfile: () => void;
}

/**
 * Creates a client that initially uses the first deployment. Sends each request over HTTP to the active deployment,
 * with the API key of this deployment.
 */
export function createSwitchedService(
  firstConnection: DeploymentConnection,
  secondConnection: DeploymentConnection,
): SwitchedService {
  let activeConnection = firstConnection;
  return {
    context: {
      ...firstConnection.context,
      getEndpoint: () => activeConnection.context.getEndpoint(),
    },
    switchProfile: () => {
      activeConnection = secondConnection;
    },
  };
}

/** Returns a service context that calls `run` after each reply to a request whose path ends in `path`. */
export const runAfterReply = (
  context: ServiceContext,
  path: string,
  run: () => void,
): ServiceContext => ({
  ...context,
  getTransport: async () => {
    const transport = await context.getTransport();
    return {
      ...transport,
      send: async (request) => {
        const reply = await transport.send(request);
        if (request.url.pathname.endsWith(path)) run();
        return reply;
      },
    };
  },
});
