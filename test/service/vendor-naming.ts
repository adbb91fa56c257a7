import { isRecord, type JsonRecord } from '../../src/base/json.ts';

/** Names of the fields and headers with a deployment's vendor word. Inside the service, all names are neutral. */
export class VendorNaming {
  readonly vendorWord: string;

  constructor(vendorWord: string) {
    this.vendorWord = vendorWord;
  }

  /** Converts vendor-named fields of a request body to neutral names; neutral names stay. */
  toNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, this.vendorWord, 'service');
  }

  /** Converts a reply body to this deployment's names. */
  fromNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, 'service', this.vendorWord);
  }

  /** Returns this deployment's name of the neutral chat body field. */
  field(neutral: string): string {
    return neutral.replace('service', this.vendorWord);
  }

  /** Returns a header name: `version` becomes `x-<word>-version`. */
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
