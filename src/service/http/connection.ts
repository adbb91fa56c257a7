import { isRecord } from '../../base/json.ts';
import { isVendorWord } from './vendor-word.ts';

/** Facts about a deployment from its replies. Contains no secrets. */
export interface ConnectionFacts {
  /** Word in the names of the deployment's fields and headers. */
  readonly word?: string;
  /** Optional request fields that the deployment has accepted (true) or refused (false), by key. */
  readonly fields?: Readonly<Record<string, boolean>>;
  /** Keys of fields that the user agreed to leave out. */
  readonly omitted?: readonly string[];
}

/** A request field that not every deployment or model accepts. */
export interface OptionalField {
  /**
   * Name in the request body; names in the object of spec §2.3 begin with `parameters.`, in parts of messages with
   * `messages.`.
   */
  readonly path: string;
  /** Identifies the field in {@link ConnectionFacts}. Contains the model if acceptance depends on it. */
  readonly key: string;
  /** Matches texts that refuse the field without its name. */
  readonly refusal?: RegExp;
  /** Name for the user. Present if the user chose the value, so that it must not be dropped silently. */
  readonly chosenName?: string;
}

/** Facts about one deployment, updated after its replies. */
export class Connection {
  #facts: ConnectionFacts;
  readonly #save: (facts: ConnectionFacts) => void;

  /** @param save Stores changed facts. */
  constructor(facts: ConnectionFacts = {}, save: (facts: ConnectionFacts) => void = () => {}) {
    this.#facts = facts;
    this.#save = save;
  }

  get facts(): ConnectionFacts {
    return this.#facts;
  }

  get word(): string | undefined {
    return this.#facts.word;
  }

  /** Checks whether requests leave out the field: the deployment refused it, or the user agreed to omit it. */
  isOmitted({ key, chosenName }: OptionalField): boolean {
    const { fields, omitted = [] } = this.#facts;
    return omitted.includes(key) || (chosenName === undefined && fields?.[key] === false);
  }

  /**
   * Stores the vendor word: the word before `_parameters` and other suffixes in the service's own field names. A new
   * word replaces the stored word, and fields whose names contain a vendor word no longer count as rejected.
   */
  recordWord(word: string): void {
    if (word === this.word) return;
    const { fields = {}, omitted = [] } = this.#facts;
    this.#change({
      ...this.#facts,
      word,
      fields: Object.fromEntries(Object.entries(fields).filter(([key]) => !hasWord(key))),
      omitted: omitted.filter((key) => !hasWord(key)),
    });
  }

  /** Stores whether the deployment accepts a field. `undefined` removes the fact. */
  recordField(key: string, isAccepted: boolean | undefined): void {
    const { [key]: previous, ...others } = this.#facts.fields ?? {};
    if (previous === isAccepted) return;
    const fields = isAccepted === undefined ? others : { ...others, [key]: isAccepted };
    this.#change({ ...this.#facts, fields });
  }

  /** Omits a field that the user chose from further requests. Call this after the user agreed. */
  omit(key: string): void {
    const { omitted = [] } = this.#facts;
    if (!omitted.includes(key)) this.#change({ ...this.#facts, omitted: [...omitted, key] });
  }

  /** Includes an omitted field in further requests. */
  restore(key: string): void {
    const { omitted = [] } = this.#facts;
    if (!omitted.includes(key)) return;
    this.#change({ ...this.#facts, omitted: omitted.filter((other) => other !== key) });
  }

  /** Removes refused and omitted fields, so that requests contain them again. Keeps the word and accepted fields. */
  clearRefusals(): void {
    const { fields = {}, omitted: _, ...others } = this.#facts;
    const accepted = Object.entries(fields).filter(([, isAccepted]) => isAccepted);
    this.#change({ ...others, fields: Object.fromEntries(accepted) });
  }

  #change(facts: ConnectionFacts): void {
    this.#facts = facts;
    this.#save(facts);
  }
}

/** Reads stored facts. Drops invalid facts. */
export function readConnectionFacts(value: unknown): ConnectionFacts {
  if (!isRecord(value)) return {};
  const { word, fields, omitted } = value;
  const validFields = Object.entries(isRecord(fields) ? fields : {}).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  );
  return {
    ...(isVendorWord(word) ? { word } : {}),
    ...(validFields.length === 0 ? {} : { fields: Object.fromEntries(validFields) }),
    ...(Array.isArray(omitted)
      ? { omitted: omitted.filter((path) => typeof path === 'string') }
      : {}),
  };
}

/** Checks whether a key identifies a field whose name contains the vendor word. */
const hasWord = (key: string): boolean => key.startsWith('parameters');
