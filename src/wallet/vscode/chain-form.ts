import * as vscode from 'vscode';
import { getPayingChainId } from '../../account/vscode/payment-choice.ts';
import type { Host } from '../../host.ts';
import { showCancellable } from '../../platform/notifications.ts';
import type { PaymentRequirements } from '../../service/payment-requirements.ts';
import { findRpcProblem } from '../chain-client.ts';
import {
  type ChainDraft,
  type ChainField,
  type ChainPurpose,
  findFieldProblem,
  isOptional,
  listMissingFields,
  toSettingFields,
  readStoredDraft,
  setField,
} from '../chain-fields.ts';
import { type Chain, checkChainFields } from '../chain.ts';
import { showTextStep } from '../mint/vscode/quick-steps.ts';
import { findClaimedChainId, findProposedUsdc } from '../x402/claimed-chain.ts';
import { formatChainIdPrompt, readPaymentTerms } from '../x402/vscode/sign-in-chain.ts';
import { readChainSetting, saveChainFields } from './chain-settings.ts';
import { getProfileChain } from './profile-chain.ts';

/**
 * Returns the chain of the active profile. First prompts for the fields that the purpose needs and the setting lacks, and
 * stores them in the user settings. Returns `undefined` if the user cancels.
 * @throws WalletError `no-chain`, naming the invalid setting
 */
export async function ensureChain(
  host: Pick<Host, 'account' | 'context'>,
  purpose: ChainPurpose,
): Promise<Chain | undefined> {
  // The user can switch profiles while the form is open.
  const { profileId } = host.account;
  const { name, value } = readChainSetting({ profileId });
  const fields = listMissingFields(value, purpose);
  if (fields.length === 0) return getProfileChain({ profileId });
  const storedDraft = readStoredDraft(value);
  // The form asks only for missing fields, so the user cannot correct a stored field in the form.
  checkChainFields(value, { setting: name, fields: Object.keys(storedDraft) });
  const terms = await readTermsIfNeeded(host, fields);
  const draft = await promptForFields(storedDraft, { host, purpose, fields, terms });
  if (draft === undefined || host.account.profileId !== profileId) return undefined;
  await saveChainFields({ profileId }, toSettingFields(draft, fields));

  return getProfileChain({ profileId });
}

/**
 * Reads the payment terms of the service if `fields` contains the chain id or the USDC address. The form proposes
 * values for these fields based on the terms.
 */
const readTermsIfNeeded = async (
  { account }: Pick<Host, 'account'>,
  fields: readonly ChainField[],
): Promise<PaymentRequirements | undefined> =>
  fields.includes('chainId') || fields.includes('usdc') ? readPaymentTerms(account) : undefined;

interface ChainForm {
  readonly host: Pick<Host, 'account' | 'context'>;
  readonly purpose: ChainPurpose;
  readonly fields: readonly ChainField[];
  /** Payment terms of the service; undefined if the service has no payment terms. */
  readonly terms: PaymentRequirements | undefined;
}

/**
 * Prompts for each field in order. After the chain id and the RPC URL, checks that the node reports this chain id. If
 * the user goes back, the values of later fields are retained.
 */
async function promptForFields(
  storedDraft: ChainDraft,
  form: ChainForm,
): Promise<ChainDraft | undefined> {
  const { fields } = form;
  const nodeField = fields.findLast((field) => field === 'chainId' || field === 'rpcUrl');
  let draft = storedDraft;
  let message: string | undefined;
  for (let index = 0; index < fields.length;) {
    const field = fields[index] as ChainField;
    const answer = await promptForField(field, { ...form, draft, message, step: index + 1 });
    message = undefined;
    if (answer === undefined || (answer === 'back' && index === 0)) return undefined;
    if (answer === 'back') index--;
    else {
      draft = setField(draft, field, { text: answer.value, fields });
      if (field === nodeField) message = await findNodeProblem(draft);
      if (message === undefined) index++;
    }
  }
  return draft;
}

/** Returns a message if the node at the entered RPC URL does not report the entered chain id; otherwise `undefined`. */
function findNodeProblem({ chainId, rpcUrl = '' }: ChainDraft): Promise<string | undefined> {
  return showCancellable(vscode.l10n.t('Checking the chain'), (signal) =>
    findRpcProblem({ id: Number(chainId), rpcUrl }, signal),
  );
}

interface FieldPrompt extends ChainForm {
  readonly draft: ChainDraft;
  /** Message about the last entered value if the value is invalid; otherwise undefined. */
  readonly message: string | undefined;
  readonly step: number;
}

function promptForField(field: ChainField, form: FieldPrompt): ReturnType<typeof showTextStep> {
  const { draft, purpose, fields, step, message } = form;
  const { prompt, proposal } = getFieldTexts(field, form);
  const canBeEmpty = isOptional(field, purpose);
  return showTextStep({
    title: vscode.l10n.t('Network'),
    ...{ step, totalSteps: fields.length, message },
    prompt: canBeEmpty ? vscode.l10n.t('{0} You can leave it empty.', prompt) : prompt,
    value: draft[field] ?? proposal ?? '',
    findProblem: (text) =>
      canBeEmpty && text === '' ? undefined : findFieldProblem(field, text, draft),
  });
}

interface FieldTexts {
  readonly prompt: string;
  readonly proposal?: string | undefined;
}

/** Returns the texts of a field's prompt. Only the chain id and a known USDC address have a proposed value. */
function getFieldTexts(field: ChainField, form: FieldPrompt): FieldTexts {
  switch (field) {
    case 'chainId':
      return getChainIdTexts(form);
    case 'rpcUrl':
      return {
        prompt: vscode.l10n.t(
          'JSON-RPC address of a node that you trust: https, or http on this machine.',
        ),
      };
    case 'token':
      return {
        prompt: vscode.l10n.t(
          'Address of the token that is staked (ERC-20). The operator of the service publishes it.',
        ),
      };
    case 'stakingContract':
      return {
        prompt: vscode.l10n.t(
          'Address of the staking contract. The operator of the service publishes it.',
        ),
      };
    case 'usdc':
      return getUsdcTexts(form);
  }
}

function getChainIdTexts({ host, terms }: FieldPrompt): FieldTexts {
  const claimedChainId = terms && findClaimedChainId(terms);
  const signInChainId = claimedChainId === undefined ? getSignInChainId(host) : undefined;
  if (signInChainId !== undefined) {
    const prompt = vscode.l10n.t(
      'You chose chain {0} for the sign-in to this service.',
      signInChainId,
    );
    return { prompt, proposal: String(signInChainId) };
  }
  return { prompt: formatChainIdPrompt(claimedChainId), proposal: claimedChainId?.toString() };
}

/** Returns the chain id that the user chose for sign-ins to the service. */
function getSignInChainId({
  account,
  context,
}: Pick<Host, 'account' | 'context'>): number | undefined {
  const { baseUrl } = account.profile;
  return URL.canParse(baseUrl)
    ? getPayingChainId(context.globalState, new URL(baseUrl).origin)
    : undefined;
}

function getUsdcTexts({ draft, terms }: FieldPrompt): FieldTexts {
  const chainId = Number(draft.chainId);
  const usdc = findProposedUsdc(chainId, terms);
  if (usdc === undefined) {
    return {
      prompt: vscode.l10n.t('Enter the address of the USDC token. Its issuer publishes it.'),
    };
  }
  const prompt = usdc.isClaimed
    ? vscode.l10n.t(
        'The service claims to take this token. Circle publishes it as USDC on chain {0}.',
        chainId,
      )
    : vscode.l10n.t('Circle publishes this address as USDC on chain {0}.', chainId);
  return { prompt, proposal: usdc.address };
}
