import {
  array,
  exactOptional,
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
 * Protocol between the wallet page and the extension host: the page sends JSON in POST requests. Browser extensions can
 * interfere with the page, so the host treats all page messages as hostile. The page validates every reply.
 */

/** Protocol version. Increase the version when the meaning of a message changes. */
export const walletPageVersion = 3;

/** Names of the calls that the page's script can make. Each call has a separate URL path. */
export const walletCalls = [...pairingCalls, 'answer'] as const;

const createHexSchema = (maxCharacters: number): GenericSchema<string> =>
  pipe(string(), maxLength(maxCharacters), regex(/^0x(?:[0-9a-fA-F]{2})*$/u));
const addressSchema = pipe(string(), regex(/^0x[0-9a-fA-F]{40}$/u));
const hashSchema = pipe(string(), regex(/^0x[0-9a-fA-F]{64}$/u), regex(/[1-9a-fA-F]/u));
const chainIdSchema = pipe(number(), integer(), minValue(1), maxValue(Number.MAX_SAFE_INTEGER));
const lineSchema = pipe(string(), maxLength(1_000));

export const walletSteps = ['connect', 'network', 'approve', 'stake', 'unstake', 'sign'] as const;

const stepSchema = strictObject({
  step: picklist(walletSteps),
  state: picklist(['waiting', 'current', 'done', 'skipped']),
});

/** State of the current wallet flow, as displayed by the page. */
const stateSchema = strictObject({
  /** Version of the state. Increases with each change. */
  number: pipe(number(), integer(), minValue(1)),
  purpose: lineSchema,
  /** Chain that the wallet must use; null if the flow needs only a signature. */
  chain: nullable(strictObject({ id: chainIdSchema, name: lineSchema })),
  account: nullable(addressSchema),
  steps: pipe(array(stepSchema), maxLength(20)),
  /**
   * Outcome of the flow with its closing message; null until the flow ends. Afterwards the host sends no wallet
   * requests.
   */
  ended: nullable(strictObject({ outcome: picklist(['done', 'failed']), message: lineSchema })),
});

const reviewSchema = strictObject({
  purpose: lineSchema,
  explanation: exactOptional(lineSchema),
  rows: pipe(
    array(
      strictObject({
        name: lineSchema,
        value: pipe(string(), maxLength(5_000)),
        isDetail: exactOptional(literal(true)),
      }),
    ),
    maxLength(40),
  ),
  warnings: pipe(array(lineSchema), maxLength(20)),
});

/** Parameter of the wallet method `wallet_addEthereumChain` (EIP-3085). */
const addedChainSchema = strictObject({
  chainId: pipe(string(), regex(/^0x[1-9a-f][0-9a-f]{0,13}$/u)),
  chainName: lineSchema,
  nativeCurrency: strictObject({
    name: lineSchema,
    symbol: lineSchema,
    decimals: pipe(number(), integer(), minValue(0), maxValue(255)),
  }),
  rpcUrls: pipe(array(lineSchema), maxLength(1)),
  blockExplorerUrls: pipe(array(lineSchema), maxLength(1)),
});

/** Request that the page forwards to the wallet. At most one request is pending. */
const requestSchema = variant('kind', [
  /** Request to connect an account. If `address` is set, only this account is accepted. */
  strictObject({ kind: literal('connect'), id: idSchema, address: nullable(addressSchema) }),
  /**
   * Request to switch the wallet to `chain`. If the wallet does not have this chain, the page requests the wallet to
   * add it.
   */
  strictObject({ kind: literal('network'), id: idSchema, chain: addedChainSchema }),
  /** Request to sign a text with `personal_sign`. The page must not change the text. */
  strictObject({
    kind: literal('sign'),
    id: idSchema,
    address: addressSchema,
    chainId: chainIdSchema,
    text: pipe(string(), maxLength(8_192)),
    review: reviewSchema,
  }),
  strictObject({
    kind: literal('send'),
    id: idSchema,
    address: addressSchema,
    chainId: chainIdSchema,
    to: addressSchema,
    data: createHexSchema(16_386),
    /** Amount of native currency as a JSON-RPC quantity: hexadecimal without leading zeros. */
    value: pipe(string(), regex(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/u)),
    review: reviewSchema,
  }),
]);

/** Reply to a poll. */
const pollReplySchema = strictObject({
  /** Current state; null if the page already shows this state. */
  state: nullable(stateSchema),
  /** Id of the pending request; null if no request is pending. The page must drop requests with another id. */
  requestId: nullable(idSchema),
  /** The pending request; null if no request is pending or the page already has the request. */
  request: nullable(requestSchema),
});

/**
 * A poll by the page. `state` is the version of the state that the page shows, or 0 if it has none yet. `requestId` is
 * the id of the request that the page has received and not answered; null without such a request.
 */
const pollSchema = strictObject({
  state: pipe(number(), integer(), minValue(0)),
  requestId: nullable(idSchema),
});

/** Problems that the page reports for a request. The wallet's error text is not forwarded. */
export const walletProblems = [
  /** The user declined (EIP-1193 4001). */
  'rejected',
  /** The user pressed Cancel on the page. The wallet may still show the request. */
  'canceled',
  /** The wallet already has a pending request (-32002). */
  'busy',
  /** The wallet denied access (4100). */
  'unauthorised',
  /** The wallet does not support the method (4200). */
  'unsupported',
  /** The wallet is disconnected (4900, 4901). */
  'disconnected',
  'account-changed',
  'wrong-chain',
  'other',
] as const;

/** Page's answer to a wallet request: either a result of the same kind as the request, or a problem. */
const answerSchema = union([
  strictObject({
    id: idSchema,
    result: variant('kind', [
      strictObject({ kind: literal('connect'), address: addressSchema, chainId: chainIdSchema }),
      strictObject({ kind: literal('network'), chainId: chainIdSchema }),
      strictObject({
        kind: literal('sign'),
        address: addressSchema,
        chainId: chainIdSchema,
        signature: createHexSchema(40_002),
      }),
      strictObject({
        kind: literal('send'),
        address: addressSchema,
        chainId: chainIdSchema,
        hash: hashSchema,
      }),
    ]),
  }),
  strictObject({ id: idSchema, error: picklist(walletProblems) }),
]);

/**
 * Events that the page reports. `wallet-requested`: the page forwards the request to the wallet, which
 * can act on it even after the page closes. `canceled`: the user pressed Cancel while no request
 * was pending. The other events report a change in the wallet or the closing of the page.
 */
const eventSchema = strictObject({
  event: picklist([
    'wallet-requested',
    'canceled',
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

/** Decodes a poll of the page. Like all decoders in this file, returns `undefined` for an invalid message. */
export const readPoll = createReader(pollSchema);
export const readPollReply = createReader(pollReplySchema);
export const readAnswer = createReader(answerSchema);
export const readPageEvent = createReader(eventSchema);

const labelSchema = pipe(string(), maxLength(500));

/** Labels of the page, translated by the host. The page replaces `{0}` in a label with a value. */
const walletLabelsSchema = strictObject({
  /** Title of the browser tab. Also the heading of the page until the host sends the purpose of the flow. */
  title: labelSchema,
  steps: labelSchema,
  stepDone: labelSchema,
  stepCurrent: labelSchema,
  stepWaiting: labelSchema,
  stepSkipped: labelSchema,

  connect: labelSchema,
  connectText: labelSchema,
  network: labelSchema,
  networkText: labelSchema,
  approve: labelSchema,
  approveText: labelSchema,
  stake: labelSchema,
  stakeText: labelSchema,
  unstake: labelSchema,
  unstakeText: labelSchema,
  sign: labelSchema,
  signText: labelSchema,

  /** `{0}` is the wallet's name. */
  connectWith: labelSchema,
  chooseWallet: labelSchema,
  browserWallet: labelSchema,
  account: labelSchema,
  chain: labelSchema,
  switchNetwork: labelSchema,
  /** `{0}` is the chain's name. */
  networkAsks: labelSchema,
  openWallet: labelSchema,
  /** `{0}` is the required account. */
  onlyAccount: labelSchema,
  otherAccount: labelSchema,
  cancel: labelSchema,
  inWallet: labelSchema,
  working: labelSchema,
  /** Shown while a prompt in VS Code waits for the user's answer. */
  inEditor: labelSchema,
  /** Shown after the wallet sends the transaction. */
  sent: labelSchema,
  details: labelSchema,
  contract: labelSchema,
  warning: labelSchema,

  noWalletTitle: labelSchema,
  noWalletText: labelSchema,
  reload: labelSchema,
  searching: labelSchema,

  secondTitle: labelSchema,
  brokenTitle: labelSchema,
  goneTitle: labelSchema,
  offlineText: labelSchema,
  doneTitle: labelSchema,
  failedTitle: labelSchema,
  closeTab: labelSchema,
});

export type WalletPageLabels = InferOutput<typeof walletLabelsSchema>;

/** Decodes the page's labels. Returns `undefined` for any other value. */
export const readWalletPageLabels = createReader(walletLabelsSchema);
