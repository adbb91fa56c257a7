/** Settings of a deployment that checks every request strictly. */
export interface DeploymentSettings {
  /** Vendor prefix in the names of fields and headers. Default: `acme`. */
  readonly word?: string;
  /**
   * `minimal` (default): only the behavior that the API specification states. `full`: also the behavior known from
   * public deployments.
   */
  readonly shape?: 'minimal' | 'full';
  readonly balance?: 'diem' | 'usd' | 'bundled' | 'none';
  /** Path of the file to which each request is written as a JSON line. */
  readonly record?: string;
  readonly faults?: boolean;
}

export interface Deployment {
  readonly ready: {
    readonly baseUrl: string;
    readonly word: string;
    readonly keys: Readonly<
      Record<'inference' | 'admin' | 'noBalance' | 'expired' | 'lowTier', string>
    >;
    /** Model ids by type. */
    readonly models: Readonly<Record<string, readonly string[]>>;
    readonly tokens: Readonly<Record<string, string>>;
  };
  readonly close: () => Promise<void>;
}

export function startDeployment(settings?: DeploymentSettings): Promise<Deployment>;
