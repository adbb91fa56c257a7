import { expect, test } from 'vitest';
import { ServiceError, type ServiceFailure } from '../../service/http/failure.ts';
import { MintError } from '../../service/web3-key.ts';
import { WalletError } from '../wallet-failure.ts';
import { isDeclined } from './wallet-messages.ts';

const stopped: ServiceFailure = { code: 'stopped', message: 'Stopped.' };

test.each([
  ['a wallet that was told no', new WalletError('rejected', 'No.'), true],
  ['a stop before anything was signed', new WalletError('stopped', 'Stopped.'), true],
  ['a stop while the token was asked for', new ServiceError(stopped), true],
  ['a stop before the key was asked for', new MintError('failed', stopped), true],
  ['a stop while the key was asked for', new MintError('maybe-minted', stopped), false],
  ['a wallet that lies', new WalletError('wallet-lied', 'Not by it.'), false],
  ['no stake', new MintError('no-stake', { code: 'invalid-request', message: '' }), false],
  ['no way to the service', new ServiceError({ code: 'offline', message: '' }), false],
])('%s', (_what, error, declined) => {
  expect(isDeclined(error)).toBe(declined);
});
