const names = [
  /^\.env(\..*)?$/iu,
  /^id_[a-z0-9]+$/iu,
  /\.(pem|key|p12|pfx|kdbx|keystore|jks)$/iu,
  /^\.(npmrc|netrc|pypirc|git-credentials)$/iu,
  /^utc--.*--[0-9a-f]{40}$/iu,
  /^(credentials|secrets)(\.(json|ya?ml|toml))?$/iu,
];
const folders = [
  /(^|\/)\.(aws|ssh|gnupg)\//iu,
  /(^|\/)\.kube\/config$/iu,
  /(^|\/)\.git\/config$/iu,
];

/** Whether a file of this name is commonly one of keys or passwords. `path` has forward slashes. */
export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    names.some((pattern) => pattern.test(name)) || folders.some((pattern) => pattern.test(path))
  );
}
