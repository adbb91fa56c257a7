import {
  array,
  type GenericSchema,
  type InferOutput,
  integer,
  literal,
  maxLength,
  maxValue,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  strictObject,
  string,
  union,
  variant,
} from 'valibot';
import { idSchema } from '../../base/schema.ts';
import { pairingCalls, createReader } from '../../platform/pages/protocol.ts';

/**
 * What the page of the browser wallet and the host tell each other: JSON over POST, from the page's side only. The page
 * runs beside extensions of the browser and counts as hostile; so does, to the page, whatever is not the host.
 */

/** Raised when either side changes meaning. */
export const walletPageVersion = 1;

/** What the page's script calls, each a path of its own. */
export const walletCalls = [...pairingCalls, 'answer'] as const;

const hexOf = (most: number): GenericSchema<string> =>
  pipe(string(), maxLength(most), regex(/^0x(?:[0-9a-fA-F]{2})*$/u));
const address = pipe(string(), regex(/^0x[0-9a-fA-F]{40}$/u));
const hash = pipe(string(), regex(/^0x[0-9a-fA-F]{64}$/u), regex(/[1-9a-fA-F]/u));
const chainId = pipe(number(), integer(), minValue(1), maxValue(Number.MAX_SAFE_INTEGER));
const line = pipe(string(), maxLength(1_000));

export const walletSteps = ['connect', 'network', 'approve', 'stake', 'unstake', 'sign'] as const;

const stepSchema = strictObject({
  step: picklist(walletSteps),
  state: picklist(['waiting', 'current', 'done', 'skipped']),
});

/** What the page shows at all times. */
const stateSchema = strictObject({
  /** Counts up with every change. */
  number: pipe(number(), integer(), minValue(1)),
  purpose: line,
  chain: strictObject({ id: chainId, name: line }),
  account: nullable(address),
  steps: pipe(array(stepSchema), maxLength(20)),
  /** How it ended, once it has. Nothing is asked after it. */
  ended: nullable(strictObject({ outcome: picklist(['done', 'failed']), message: line })),
});

const reviewSchema = strictObject({
  purpose: line,
  rows: pipe(
    array(strictObject({ name: line, value: pipe(string(), maxLength(5_000)) })),
    maxLength(40),
  ),
  warnings: pipe(array(line), maxLength(20)),
});

/** EIP-3085. */
const addedChainSchema = strictObject({
  chainId: pipe(string(), regex(/^0x[1-9a-f][0-9a-f]{0,13}$/u)),
  chainName: line,
  nativeCurrency: strictObject({
    name: line,
    symbol: line,
    decimals: pipe(number(), integer(), minValue(0), maxValue(255)),
  }),
  rpcUrls: pipe(array(line), maxLength(1)),
  blockExplorerUrls: pipe(array(line), maxLength(1)),
});

/** What the host wants of the wallet. One at a time. */
const requestSchema = variant('kind', [
  /** An account; only `address` when it is not null. */
  strictObject({ kind: literal('connect'), id: idSchema, address: nullable(address) }),
  /** To be on this chain. */
  strictObject({ kind: literal('network'), id: idSchema, chain: addedChainSchema }),
  /** `personal_sign` of the exact text. */
  strictObject({
    kind: literal('sign'),
    id: idSchema,
    address,
    chainId,
    text: pipe(string(), maxLength(8_192)),
    review: reviewSchema,
  }),
  strictObject({
    kind: literal('send'),
    id: idSchema,
    address,
    chainId,
    to: address,
    data: hexOf(16_386),
    /** A quantity of the JSON-RPC. */
    value: pipe(string(), regex(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/u)),
    review: reviewSchema,
  }),
]);

/** The answer to a poll. */
const pollReplySchema = strictObject({
  /** Null when the page has it. */
  state: nullable(stateSchema),
  /** The id of what is asked now; whatever else the page was asked is not wanted any more. */
  asking: nullable(idSchema),
  /** What is asked now; null when that is nothing, or the page has it. */
  request: nullable(requestSchema),
});

/** The number of the state that the page has, 0 for none; the id of what it was asked and has not answered. */
const pollSchema = strictObject({
  state: pipe(number(), integer(), minValue(0)),
  asking: nullable(idSchema),
});

/** What a wallet can have against a request. What it says in words is not passed on. */
export const walletProblems = [
  /** EIP-1193 4001. */
  'rejected',
  /** The person pressed Cancel on the page; the wallet may have the request before it all the same. */
  'cancelled',
  /** -32002 */
  'busy',
  /** 4100 */
  'unauthorised',
  /** 4200: it does not know the method. */
  'unsupported',
  /** 4900, 4901 */
  'disconnected',
  'account-changed',
  'wrong-chain',
  'other',
] as const;

/** What came of a request: a result of its kind, or a problem, and never both. */
const answerSchema = union([
  strictObject({
    id: idSchema,
    result: variant('kind', [
      strictObject({ kind: literal('connect'), address, chainId }),
      strictObject({ kind: literal('network'), chainId }),
      strictObject({ kind: literal('sign'), address, chainId, signature: hexOf(40_002) }),
      strictObject({ kind: literal('send'), address, chainId, hash }),
    ]),
  }),
  strictObject({ id: idSchema, error: picklist(walletProblems) }),
]);

/**
 * `wallet-asked`: the person let the page pass the request on to the wallet, which may act on it from now on, whatever
 * becomes of the page. `cancelled`: the person pressed Cancel while nothing was asked. The others: the wallet changed by
 * itself, or the page is being closed.
 */
const eventSchema = strictObject({
  event: picklist([
    'wallet-asked',
    'cancelled',
    'account-changed',
    'wrong-chain',
    'disconnected',
    'page-closed',
  ]),
});

export type WalletPageState = InferOutput<typeof stateSchema>;
export type WalletPageRequest = InferOutput<typeof requestSchema>;
export type WalletPagePoll = InferOutput<typeof pollSchema>;
export type WalletPageReply = InferOutput<typeof pollReplySchema>;
export type WalletPageAnswer = InferOutput<typeof answerSchema>;
export type WalletPageResult = Extract<WalletPageAnswer, { result: unknown }>['result'];
export type WalletPageEvent = InferOutput<typeof eventSchema>['event'];
export type WalletProblem = (typeof walletProblems)[number];
export type AddChainParameter = InferOutput<typeof addedChainSchema>;
export type PageReview = InferOutput<typeof reviewSchema>;

/** Each of these reads what came from the other side: `undefined` for anything that is not of the kind. */
export const readPoll = createReader(pollSchema);
export const readPollReply = createReader(pollReplySchema);
export const readAnswer = createReader(answerSchema);
export const readPageEvent = createReader(eventSchema);

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

export type WalletPageLabels = InferOutput<typeof walletWordsSchema>;

/** `undefined` for anything else. */
export const readWalletPageLabels = createReader(walletWordsSchema);
