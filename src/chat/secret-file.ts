const names = [
  /^\.env/iu,
  /\.env$/iu,
  /^env\.(production|prod|staging|development|dev|local|test)$/iu,
  /^id_[\w-]+$/iu,
  /\.(pem|key|p12|pfx|p8|der|asc|kdbx?|keystore|jks|ppk|tfvars|tfstate|ovpn|keychain(-db)?|agekey)$/iu,
  /^[._](npmrc|netrc|pypirc|pgpass|git-credentials|yarnrc\.yml)$/iu,
  /^\.?htpasswd$/iu,
  /^\.(vault-token|vault_pass|dockercfg|terraformrc|s3cfg|boto|my\.cnf|mylogin\.cnf)$/iu,
  /^\.[a-z]+_history$/iu,
  /^(wallet\.dat|key[34]\.db|logins\.json|local\.settings\.json|master\.key|secring\.gpg)$/iu,
  /^utc--.*--[0-9a-f]{40}$/iu,
  /^(credentials|secrets|service-?account.*)(\.(json|ya?ml|toml|env|ini|xml|csv|properties|tfrc\.json))?$/iu,
  /^(secrets\.py|.+\.secret\.exs|wp-config\.php|auth\.json)$/iu,
  /^(.*firebase-adminsdk.*|client_secret.*|application_default_credentials|.*[_-]key)\.json$/iu,
  /^appsettings\.[^/]+\.json$/iu,
  /^(.+\.)?kubeconfig(\.ya?ml)?$/iu,
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

/** What editors and people add to the name of a file that they keep. */
const kept = /(?:\.(?:bak|backup|old|orig|save|saved|copy|tmp|swp|\d{1,4})|~)$/iu;
const mostCopies = 8;

/** Whether a file of this name, or one that it is a copy of, is commonly one of keys or passwords. `path` has forward slashes. */
export function looksSecret(path: string): boolean {
  let original = path;
  for (let copies = 0; copies < mostCopies; copies += 1) {
    if (isSecretName(original)) return true;
    const shorter = original.replace(kept, '');
    if (shorter === original) return false;
    original = shorter;
  }
  // Nobody copies copies so often: it is a name that is made to get through.
  return true;
}

function isSecretName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    names.some((pattern) => pattern.test(name)) || folders.some((pattern) => pattern.test(path))
  );
}
