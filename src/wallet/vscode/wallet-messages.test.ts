import { expect, test } from 'vitest';
import { ServiceError, type ServiceFailure } from '../../service/http/failure.ts';
import { MintError } from '../../service/web3-key.ts';
import { WalletError } from '../wallet-failure.ts';
import { isDeclined } from './wallet-messages.ts';

const stoppedFailure: ServiceFailure = { code: 'stopped', message: 'Stopped.' };

test.each([
  ['a rejection in the wallet', new WalletError('rejected', 'No.'), true],
  ['a cancellation before any signature', new WalletError('stopped', 'Stopped.'), true],
  ['a cancellation during the token request', new ServiceError(stoppedFailure), true],
  ['a cancellation before the key request', new MintError('failed', stoppedFailure), true],
  ['a cancellation during the key request', new MintError('maybe-minted', stoppedFailure), false],
  ['a wallet with a wrong signature', new WalletError('wallet-lied', 'Not by it.'), false],
  ['a missing stake', new MintError('no-stake', { code: 'invalid-request', message: '' }), false],
  ['an unreachable service', new ServiceError({ code: 'offline', message: '' }), false],
])('isDeclined returns $2 for %s', (_description, error, expected) => {
  expect(isDeclined(error)).toBe(expected);
});
