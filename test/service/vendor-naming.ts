import { isRecord, type JsonRecord } from '../../src/base/json.ts';

/** How one deployment spells the fields and headers that carry its maker's word. Inside, all is neutral. */
export class VendorNaming {
  readonly vendorWord: string;

  constructor(word: string) {
    this.vendorWord = word;
  }

  /** A request body with its vendor-named fields in neutral spelling; neutral ones stay. */
  toNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, this.vendorWord, 'service');
  }

  /** A reply body in the spelling of this deployment. */
  fromNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, 'service', this.vendorWord);
  }

  /** The field of the chat body named `neutral` in this deployment's spelling. */
  field(neutral: string): string {
    return neutral.replace('service', this.vendorWord);
  }

  /** `version` is sent as `x-<word>-version`. */
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
    const renamed = names.get(key);
    const nested = renamed !== undefined && isRecord(value) ? renameFields(value, from, to) : value;
    return [renamed ?? key, nested] as const;
  });
  return Object.fromEntries(entries);
}
