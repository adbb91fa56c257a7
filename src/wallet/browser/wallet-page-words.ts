import { type InferOutput, maxLength, pipe, safeParse, strictObject, string } from 'valibot';

const word = pipe(string(), maxLength(500));

/** Everything that the page of the browser wallet says by itself, translated by the host. `{0}` is filled in by the page. */
const walletWordsSchema = strictObject({
  /** The title of the tab, and the page's heading until it knows what it is about. */
  title: word,
  steps: word,
  stepDone: word,
  stepCurrent: word,
  stepWaiting: word,
  stepSkipped: word,

  connect: word,
  connectText: word,
  network: word,
  networkText: word,
  approve: word,
  approveText: word,
  stake: word,
  stakeText: word,
  unstake: word,
  unstakeText: word,
  sign: word,
  signText: word,

  /** `{0}` is the wallet's name. */
  connectWith: word,
  chooseWallet: word,
  unnamedWallet: word,
  browserWallet: word,
  account: word,
  chain: word,
  switchNetwork: word,
  /** `{0}` is the chain's name. */
  networkAsks: word,
  openToSign: word,
  openToSend: word,
  /** Above the account that must be chosen, `{0}`. */
  onlyAccount: word,
  otherAccount: word,
  otherAccountTitle: word,
  cancel: word,
  inWallet: word,
  working: word,
  /** The editor waits for the person. */
  inEditor: word,
  /** The network has the transaction. */
  sent: word,
  details: word,
  exactText: word,
  exactData: word,
  contract: word,
  warning: word,

  noWalletTitle: word,
  noWalletText: word,
  noWalletInstall: word,
  noWalletOther: word,
  noWalletLocal: word,
  reload: word,
  searching: word,

  secondTitle: word,
  secondText: word,
  brokenTitle: word,
  brokenText: word,
  goneTitle: word,
  goneText: word,
  offlineText: word,
  doneTitle: word,
  failedTitle: word,
  closeTab: word,
});

export type WalletWords = InferOutput<typeof walletWordsSchema>;

/** `undefined` for anything else. */
export function readWalletWords(value: unknown): WalletWords | undefined {
  const result = safeParse(walletWordsSchema, value);
  return result.success ? result.output : undefined;
}
