import { isRecord, type JsonRecord } from '../../src/base/json.ts';

/**
 * Converts names of fields and headers that contain the deployment's vendor word. Code of the
 * service uses names without it.
 */
export class VendorNaming {
  readonly vendorWord: string;

  constructor(vendorWord: string) {
    this.vendorWord = vendorWord;
  }

  /**
   * Replaces the vendor word in field names of a valid request body by the neutral word. Schemas of
   * bodies reject the neutral names before, so that only the names of this deployment work.
   */
  toNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, this.vendorWord, 'service');
  }

  /** Adds the vendor word to the field names of a reply body. */
  fromNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, 'service', this.vendorWord);
  }

  /** Returns the name of a body field with the vendor word instead of `service`. */
  field(neutral: string): string {
    return neutral.replace('service', this.vendorWord);
  }

  /** Returns the name of a header with the vendor word: `version` becomes `x-<word>-version`. */
  header(name: string): string {
    return `x-${this.vendorWord}-${name}`;
  }
}

function renameFields(body: JsonRecord, from: string, to: string): JsonRecord {
  if (from === to) return body;
  const names = new Map([
    [`${from}_parameters`, `${to}_parameters`],
    [`include_${from}_system_prompt`, `include_${to}_system_prompt`],
  ]);
  const entries = Object.entries(body).map(([key, value]) => {
    const newName = names.get(key);
    const newValue =
      newName !== undefined && isRecord(value) ? renameFields(value, from, to) : value;
    return [newName ?? key, newValue] as const;
  });
  return Object.fromEntries(entries);
}
