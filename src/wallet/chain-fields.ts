import * as l10n from '@vscode/l10n';
import { isRecord, type JsonRecord } from '../base/json.ts';
import { findAddressProblem, findUrlProblem } from './chain.ts';
import { readChainId } from './x402/claimed-chain.ts';

/** Operation that needs a configured chain. Determines the required fields of the chain setting. */
export type ChainPurpose = 'balances' | 'staking' | 'top-up';

/** Field of the chain setting that the user can enter. */
export type ChainField = 'chainId' | 'rpcUrl' | 'token' | 'stakingContract' | 'usdc';

/** Texts that the user entered in the chain form, by field. A field that the user left empty can be absent. */
export type ChainDraft = Readonly<Partial<Record<ChainField, string>>>;

const requiredFields: Readonly<Record<ChainPurpose, readonly ChainField[]>> = {
  balances: ['chainId', 'rpcUrl'],
  staking: ['chainId', 'rpcUrl', 'token', 'stakingContract'],
  'top-up': ['chainId', 'rpcUrl', 'usdc'],
};

/**
 * Returns the fields for which to prompt the user, in display order. Empty if the chain setting has all fields that the
 * purpose needs.
 */
export function listMissingFields(setting: unknown, purpose: ChainPurpose): readonly ChainField[] {
  const storedDraft = readStoredDraft(setting);
  const isMissingField = (field: ChainField): boolean => storedDraft[field] === undefined;
  const missingFields = requiredFields[purpose].filter(isMissingField);
  // The balance of USDC is useful without top-ups, so that the form for balances also shows its address.
  return purpose === 'balances' && missingFields.length > 0 && isMissingField('usdc')
    ? [...missingFields, 'usdc']
    : missingFields;
}

/** Checks whether the user can leave a field empty for this purpose. */
export const isOptional = (field: ChainField, purpose: ChainPurpose): boolean =>
  !requiredFields[purpose].includes(field);

const fieldNames: readonly ChainField[] = ['chainId', 'rpcUrl', 'token', 'stakingContract', 'usdc'];

/** Returns the fields of the stored chain setting as texts. Omits missing and empty fields. */
export function readStoredDraft(setting: unknown): ChainDraft {
  const fields = isRecord(setting) ? setting : {};
  const texts = fieldNames.map((name) => [name, toText(fields[name])] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

/**
 * Formats a stored value as text. A value of the wrong type does not count as missing; a later check reports the wrong
 * type.
 */
const toText = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : (JSON.stringify(value) ?? '');

/**
 * Returns a copy of the draft with a new value of `field`. If this changes the chain id, removes the contract addresses
 * for which the form prompts, because a contract exists on one chain only.
 * @param fields Fields for which the form prompts.
 */
export function setField(
  draft: ChainDraft,
  field: ChainField,
  { text, fields }: { readonly text: string; readonly fields: readonly ChainField[] },
): ChainDraft {
  const hasOtherChain = field === 'chainId' && draft.chainId !== text;
  const isDroppedField = (name: string): boolean =>
    hasOtherChain &&
    contractFields.some((contractField) => contractField === name && fields.includes(name));
  const remainingFields = Object.entries(draft).filter(([name]) => !isDroppedField(name));
  return { ...Object.fromEntries(remainingFields), [field]: text };
}

const contractFields: readonly ChainField[] = ['token', 'stakingContract', 'usdc'];

/** Returns a message about an invalid text of a field; `undefined` if the text is valid. */
export function findFieldProblem(
  field: ChainField,
  text: string,
  draft: ChainDraft,
): string | undefined {
  if (field === 'chainId') {
    return readChainId(text) === undefined
      ? l10n.t('A chain id is a whole number, such as 8453.')
      : undefined;
  }
  const reason =
    field === 'rpcUrl' ? findUrlProblem(text) : findContractProblem(field, text, draft);
  return reason === undefined ? undefined : l10n.t('This value can’t be used: {0}.', reason);
}

function findContractProblem(
  field: ChainField,
  text: string,
  draft: ChainDraft,
): string | undefined {
  const otherFields = contractFields.filter((name) => name !== field);
  const isTaken = otherFields.some((name) => draft[name]?.toLowerCase() === text.toLowerCase());
  return (
    findAddressProblem(text) ??
    (isTaken ? l10n.t('the addresses of the contracts must differ from each other') : undefined)
  );
}

/** Converts the entered texts of `fields` to values of the chain setting. */
export function toSettingFields(draft: ChainDraft, fields: readonly ChainField[]): JsonRecord {
  const entries = fields.map((field) => [field, draft[field] ?? ''] as const);
  return Object.fromEntries(
    entries
      .filter(([, text]) => text !== '')
      .map(([field, text]) => [field, field === 'chainId' ? Number(text) : text]),
  );
}
