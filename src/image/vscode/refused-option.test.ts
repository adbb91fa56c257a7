import { expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { Connection } from '../../service/http/connection.ts';
import { generateImages } from '../../service/images/image-calls.ts';
import type { ImageRequest } from '../../service/images/image-types.ts';
import { type ImageFailure, toImageFailure } from './image-failure.ts';
import { listAvailableActions, omitRefusedOption } from './refused-option.ts';

const { signal } = new AbortController();
/** Request with a size in pixels, which the model `canvas-strict` rejects. */
const imageRequest: ImageRequest = {
  model: 'canvas-strict',
  prompt: 'a boat',
  width: 512,
  height: 512,
};

async function generateFailingImage(context: ServiceContext): Promise<ImageFailure> {
  try {
    for await (const _ of generateImages(context, imageRequest, { variants: 1, signal })) continue;
  } catch (error) {
    return toImageFailure(error, 0);
  }
  throw new Error('The request was not refused.');
}

/** Creates an account with two profiles: one for the given local test service, one for another service. */
function createAccount(refusingConnection: Connection) {
  const otherConnection = new Connection();
  return {
    otherConnection,
    connection: refusingConnection,
    getConnection: ({ hostname }: URL) =>
      hostname === '127.0.0.1' ? refusingConnection : otherConnection,
  };
}

test('omitRefusedOption omits a rejected option only from requests to the service that rejected the option', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const account = createAccount(server.connection);
  const failure = await generateFailingImage(server.context);
  expect(failure.service?.connection).toBe(server.deployment.baseUrl);
  expect(listAvailableActions(failure, account)).toContain('send-without');
  expect(omitRefusedOption(failure, account)).toBe(true);
  expect(server.connection.facts.omitted).toEqual([failure.service?.refusedField]);

  account.connection = account.otherConnection;
  expect(listAvailableActions(failure, account)).not.toContain('send-without');
  expect(omitRefusedOption(failure, account)).toBe(false);
  expect(account.otherConnection.facts).toEqual({});
});

test('generateImages records a rejected option for the service that rejected the option, even if the active profile has changed', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const otherConnection = new Connection();
  let isEndpointSwitched = false;
  const context: ServiceContext = {
    ...server.context,
    getEndpoint: async () => {
      const endpoint = await server.context.getEndpoint();
      if (!isEndpointSwitched) return endpoint;
      return {
        ...endpoint,
        baseUrl: new URL('https://other.example/api/v1'),
        connection: otherConnection,
      };
    },
    getTransport: async () => {
      const transport = await server.context.getTransport();
      return {
        ...transport,
        send: (request) => {
          isEndpointSwitched = true;
          return transport.send(request);
        },
      };
    },
  };
  const { service } = await generateFailingImage(context);
  expect(service?.connection).toBe(server.deployment.baseUrl);
  expect(server.connection.facts.fields?.[service?.refusedField ?? '']).toBe(false);
  expect(otherConnection.facts).toEqual({});
});
