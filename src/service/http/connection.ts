import { isRecord } from '../../base/json.ts';
import { defaultVendorPrefix, isVendorPrefix } from './vendor-prefix.ts';

/**
 * Facts about a service, such as the request fields that it refuses. Derived from its replies and the user's decisions.
 * Contains no secrets.
 */
export interface ConnectionFacts {
  /**
   * Vendor prefix that a reply contained, such as `acme` in `acme_parameters`. The name `word` is from earlier versions
   * of the extension, whose stored facts are still valid.
   */
  readonly word?: string;
  /**
   * Vendor prefix from the settings or the API key, used until a reply contains a prefix. Absent if this is the default
   * prefix.
   */
  readonly configuredWord?: string;
  /**
   * Keys of optional request fields, each with true if the service accepted the field or false if it refused the field.
   */
  readonly fields?: Readonly<Record<string, boolean>>;
  /** Keys of optional fields that the user agreed to leave out of requests. */
  readonly omitted?: readonly string[];
}

/** Request field that not every service or model accepts. */
export interface OptionalField {
  /**
   * Name of the field in the request body. The prefix `parameters.` means a field of the parameters object (spec §2.3),
   * and `messages.` a field of a content part of a message.
   */
  readonly path: string;
  /** Identifies the field in {@link ConnectionFacts}. Contains the model if acceptance depends on the model. */
  readonly key: string;
  /** Matches error texts that refuse the field without naming it. */
  readonly refusalPattern?: RegExp;
  /**
   * Display name of the field. Present only if the user chose the value of the field. Such a field is left out of
   * requests only if the user agrees.
   */
  readonly chosenName?: string;
}

/** Facts about one service, updated after its replies. */
export class Connection {
  #facts: ConnectionFacts;
  readonly #saveFacts: (facts: ConnectionFacts) => void;

  /** @param save Stores the facts after each change. */
  constructor(facts: ConnectionFacts = {}, save: (facts: ConnectionFacts) => void = () => {}) {
    this.#facts = facts;
    this.#saveFacts = save;
  }

  get facts(): ConnectionFacts {
    return this.#facts;
  }

  get vendorPrefix(): string | undefined {
    return this.#facts.word;
  }

  /**
   * Checks whether requests leave out the field. True if the user agreed to omit it, or if the service refused it and
   * the user did not choose its value.
   */
  isOmitted({ key, chosenName }: OptionalField): boolean {
    const { fields, omitted = [] } = this.#facts;
    return omitted.includes(key) || (chosenName === undefined && fields?.[key] === false);
  }

  /**
   * Stores the vendor prefix that a reply contained. If the prefix has changed, removes the facts about fields whose
   * names contain the vendor prefix.
   */
  recordVendorPrefix(prefix: string): void {
    if (prefix === this.vendorPrefix) return;
    this.#changeFacts({ ...this.#facts, ...this.#getUnprefixedFacts(), word: prefix });
  }

  /**
   * Stores the vendor prefix that requests use until a reply contains a prefix. A change of this prefix removes the
   * facts about fields whose names contain it, unless a reply has already contained a prefix.
   */
  recordConfiguredPrefix(prefix: string): void {
    if (prefix === (this.#facts.configuredWord ?? defaultVendorPrefix)) return;
    const unprefixedFacts = this.vendorPrefix === undefined ? this.#getUnprefixedFacts() : {};
    this.#changeFacts({ ...this.#facts, ...unprefixedFacts, configuredWord: prefix });
  }

  /** Returns the facts about fields whose names do not contain the vendor prefix. */
  #getUnprefixedFacts(): Required<Pick<ConnectionFacts, 'fields' | 'omitted'>> {
    const { fields = {}, omitted = [] } = this.#facts;
    return {
      fields: Object.fromEntries(Object.entries(fields).filter(([key]) => !hasVendorPrefix(key))),
      omitted: omitted.filter((key) => !hasVendorPrefix(key)),
    };
  }

  /** Stores whether the service accepts the field with this key. `undefined` removes the stored fact. */
  recordField(key: string, isAccepted: boolean | undefined): void {
    const { [key]: wasAccepted, ...otherFields } = this.#facts.fields ?? {};
    if (wasAccepted === isAccepted) return;
    const fields = isAccepted === undefined ? otherFields : { ...otherFields, [key]: isAccepted };
    this.#changeFacts({ ...this.#facts, fields });
  }

  /**
   * Omits a field from further requests although the user chose its value. Call it only after the user agreed to the
   * omission.
   */
  omitField(key: string): void {
    const { omitted = [] } = this.#facts;
    if (!omitted.includes(key)) this.#changeFacts({ ...this.#facts, omitted: [...omitted, key] });
  }

  /** Reverts {@link omitField}, so that further requests contain the field again. */
  restoreField(key: string): void {
    const { omitted = [] } = this.#facts;
    if (!omitted.includes(key)) return;
    this.#changeFacts({
      ...this.#facts,
      omitted: omitted.filter((omittedKey) => omittedKey !== key),
    });
  }

  /**
   * Forgets which fields were refused or omitted, so that requests contain these fields again. Retains the vendor
   * prefix and the facts about accepted fields.
   */
  clearRefusals(): void {
    const { fields = {}, omitted: _, ...otherFacts } = this.#facts;
    const acceptedFields = Object.entries(fields).filter(([, isAccepted]) => isAccepted);
    this.#changeFacts({ ...otherFacts, fields: Object.fromEntries(acceptedFields) });
  }

  #changeFacts(facts: ConnectionFacts): void {
    this.#facts = facts;
    this.#saveFacts(facts);
  }
}

/** Decodes the stored facts about a service. Omits invalid facts. */
export function readConnectionFacts(value: unknown): ConnectionFacts {
  if (!isRecord(value)) return {};
  const { word, configuredWord, fields, omitted } = value;
  const validFields = Object.entries(isRecord(fields) ? fields : {}).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  );
  return {
    ...(isVendorPrefix(word) ? { word } : {}),
    ...(isVendorPrefix(configuredWord) ? { configuredWord } : {}),
    ...(validFields.length === 0 ? {} : { fields: Object.fromEntries(validFields) }),
    ...(Array.isArray(omitted)
      ? { omitted: omitted.filter((path) => typeof path === 'string') }
      : {}),
  };
}

/** Checks whether the field with this key has a name that contains the vendor prefix. */
const hasVendorPrefix = (key: string): boolean => key.startsWith('parameters');
