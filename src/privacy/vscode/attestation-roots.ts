import { isLoopback } from '../../service/http/endpoint.ts';
import { fromHex } from '../../service/privacy/bytes.ts';
import { intelRoot, type RootKey } from '../../service/privacy/certificate-chain.ts';

/** Names a further root, x and y in hexadecimal, for a service on this machine. */
const rootVariable = 'INFERENCE_SERVICE_ATTESTATION_ROOT';

/** What a genuine attestation of the service ends in. Only for this machine a developer can add a root of their own. */
export function attestationRoots(baseUrl: URL, environment = process.env): readonly RootKey[] {
  const own = fromHex(environment[rootVariable] ?? '');
  return isLoopback(baseUrl.hostname) && own?.length === 64 ? [intelRoot, own] : [intelRoot];
}
