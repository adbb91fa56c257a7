/** Settings of a deployment that checks every request strictly. */
export interface DeploymentSettings {
  /** Word that names fields and headers; `acme` by default. */
  readonly word?: string;
  /** `minimal` (default): what the specification states. `full`: with the public facts. */
  readonly shape?: 'minimal' | 'full';
  readonly balance?: 'diem' | 'usd' | 'bundled' | 'none';
  /** File that receives each request as a JSON line. */
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
