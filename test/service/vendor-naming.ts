import { isRecord, type JsonRecord } from '../../src/base/json.ts';

/**
 * Converts names of fields and headers between the neutral prefix `service`, which the code uses, and the deployment's
 * vendor prefix.
 */
export class VendorNaming {
  readonly vendorPrefix: string;

  constructor(vendorPrefix: string) {
    this.vendorPrefix = vendorPrefix;
  }

  /**
   * Replaces the vendor prefix with `service` in the field names of a validated request body. The schemas reject field
   * names with `service`, so clients can use only the vendor prefix.
   */
  convertToNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, this.vendorPrefix, 'service');
  }

  /** Replaces `service` with the vendor prefix in the field names of a reply body. */
  convertFromNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, 'service', this.vendorPrefix);
  }

  /** Returns the name of a body field, with the vendor prefix in place of `service`. */
  getFieldName(neutral: string): string {
    return neutral.replace('service', this.vendorPrefix);
  }

  /** Returns the name of a header with the vendor prefix: `version` becomes `x-<prefix>-version`. */
  getHeaderName(name: string): string {
    return `x-${this.vendorPrefix}-${name}`;
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
