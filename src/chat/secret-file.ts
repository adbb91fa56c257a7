const names = [
  /^\.env/iu,
  /\.env$/iu,
  /^id_[\w-]+$/iu,
  /\.(pem|key|p12|pfx|kdbx?|keystore|jks|ppk|tfvars|tfstate|ovpn|keychain(-db)?|agekey)$/iu,
  /^[._](npmrc|netrc|pypirc|pgpass|git-credentials|yarnrc\.yml)$/iu,
  /^\.(htpasswd|vault-token|vault_pass|dockercfg|terraformrc|s3cfg|boto|my\.cnf|mylogin\.cnf)$/iu,
  /^\.[a-z]+_history$/iu,
  /^(wallet\.dat|key[34]\.db|logins\.json|local\.settings\.json|master\.key)$/iu,
  /^utc--.*--[0-9a-f]{40}$/iu,
  /^(credentials|secrets|service-account.*)(\.(json|ya?ml|toml|env))?$/iu,
];
const folders = [
  /(^|\/)\.(aws|ssh|gnupg|azure|password-store)\//iu,
  /(^|\/)\.config\/(gcloud|op|sops)\//iu,
  /(^|\/)\.(cargo\/credentials\.toml|gem\/credentials|composer\/auth\.json)$/iu,
  /(^|\/)\.kube\/config$/iu,
  /(^|\/)\.docker\/config\.json$/iu,
  /(^|\/)\.config\/gh\/hosts\.yml$/iu,
  /(^|\/)\.git\/config$/iu,
];

/** Whether a file of this name is commonly one of keys or passwords. `path` has forward slashes. */
export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    names.some((pattern) => pattern.test(name)) || folders.some((pattern) => pattern.test(path))
  );
}
