import { isRecord, type JsonRecord } from '../../src/base/json.ts';

/**
 * Converts names of fields and headers between the prefix `service`, which the code uses, and the prefix of the
 * deployment, which requests and replies contain.
 */
export class VendorNaming {
  readonly vendorPrefix: string;

  constructor(vendorPrefix: string) {
    this.vendorPrefix = vendorPrefix;
  }

  /**
   * Replaces the deployment's prefix with `service` in the field names of a validated request body. The schemas reject
   * field names with `service`, so clients can use only the deployment's prefix.
   */
  convertToNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, this.vendorPrefix, 'service');
  }

  /** Replaces `service` with the deployment's prefix in the field names of a reply body. */
  convertFromNeutral(body: JsonRecord): JsonRecord {
    return renameFields(body, 'service', this.vendorPrefix);
  }

  /** Returns the name of a body field, with the deployment's prefix in place of `service`. */
  getFieldName(neutralName: string): string {
    return neutralName.replace('service', this.vendorPrefix);
  }

  /** Returns the name of a header with the deployment's prefix: `version` becomes `x-<prefix>-version`. */
  getHeaderName(name: string): string {
    return `x-${this.vendorPrefix}-${name}`;
  }
}

function renameFields(body: JsonRecord, oldPrefix: string, newPrefix: string): JsonRecord {
  if (oldPrefix === newPrefix) return body;
  const newNames = new Map([
    [`${oldPrefix}_parameters`, `${newPrefix}_parameters`],
    [`include_${oldPrefix}_system_prompt`, `include_${newPrefix}_system_prompt`],
  ]);
  const entries = Object.entries(body).map(([key, value]) => {
    const newName = newNames.get(key);
    const newValue =
      newName !== undefined && isRecord(value) ? renameFields(value, oldPrefix, newPrefix) : value;
    return [newName ?? key, newValue] as const;
  });
  return Object.fromEntries(entries);
}
