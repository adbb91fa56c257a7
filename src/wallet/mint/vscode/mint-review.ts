import * as vscode from 'vscode';
import type { KeyOptions } from '../../../service/key-record.ts';
import { type CheckedToken, lifeLeftMs } from '../validation-token.ts';
import type { Review, ReviewRow } from '../../signer.ts';
import { countdown } from './countdown.ts';
import { expiryWords, limitWords, privacyWords, typeWords } from './option-labels.ts';

interface ToReview {
  /** Host and port that the token came from. */
  readonly host: string;
  readonly address: string;
  readonly options: KeyOptions;
  /** The new key takes the place of one that is in use. */
  readonly replaces: boolean;
  readonly token: CheckedToken;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Less is the way that a reply takes. */
const noticedSkewMs = 60_000;

/** What the person sees before a signature that a key is given for. */
export function mintReview(about: ToReview): Review {
  return {
    purpose: vscode.l10n.t(
      'Sign to get an API key for {0}. The signature proves that the wallet is yours; it moves no funds and approves no transaction.',
      about.host,
    ),
    rows: [...accountRows(about), ...keyRows(about.options), ...tokenRows(about)],
    warnings: warnings(about),
  };
}

const accountRows = ({ host, address }: ToReview): ReviewRow[] => [
  { name: vscode.l10n.t('Wallet'), value: address },
  { name: vscode.l10n.t('Issued by'), value: host },
];

function keyRows(options: KeyOptions): ReviewRow[] {
  const { type, description, modelPrivacy } = options;
  return [
    { name: vscode.l10n.t('Key type'), value: typeWords(type) },
    ...(description === undefined
      ? []
      : [{ name: vscode.l10n.t('Description'), value: description }]),
    { name: vscode.l10n.t('Key expires'), value: expiryWords(options) },
    { name: vscode.l10n.t('Limit'), value: limitWords(options) },
    ...(modelPrivacy === undefined
      ? []
      : [{ name: vscode.l10n.t('Models'), value: privacyWords(modelPrivacy) }]),
  ];
}

function tokenRows({ token, now }: ToReview): ReviewRow[] {
  const time = new Date(token.expiresAt - token.clockAheadMs).toLocaleTimeString(
    vscode.env.language,
  );
  return [
    {
      name: vscode.l10n.t('To be signed until'),
      value: vscode.l10n.t('{0}, {1} from now', time, countdown(lifeLeftMs(token, now))),
    },
    ...token.claims.map(({ name, value }) => ({ name: claimWords(name), value })),
  ];
}

/** The registered claims by what they are (RFC 7519). */
function claimWords(name: string): string {
  switch (name) {
    case 'iss':
      return vscode.l10n.t('Issuer in the text');
    case 'aud':
      return vscode.l10n.t('Audience in the text');
    case 'sub':
      return vscode.l10n.t('Subject in the text');
    case 'jti':
      return vscode.l10n.t('Number in the text');
    default:
      return vscode.l10n.t('“{0}” in the text', name);
  }
}

function warnings({ options, replaces, token }: ToReview): string[] {
  const { type, expiresAt, consumptionLimit } = options;
  const found = [
    type === 'ADMIN' &&
      vscode.l10n.t('An admin key can create and revoke all other keys of the account.'),
    expiresAt === undefined && vscode.l10n.t('The key does not expire.'),
    consumptionLimit === undefined &&
      vscode.l10n.t('The key can spend everything that the account has.'),
    replaces &&
      vscode.l10n.t(
        'It takes the place of the API key that is in use here. That one stays good at the service until it is revoked.',
      ),
    Math.abs(token.clockAheadMs) >= noticedSkewMs &&
      vscode.l10n.t(
        'The clock of this machine and that of the service differ by {0}. The service’s counts.',
        countdown(Math.abs(token.clockAheadMs)),
      ),
  ];
  return found.filter((warning) => warning !== false);
}
