import { foldPath } from '../base/fold-path.ts';

/** Kind of file that commonly contains keys or passwords. */
export interface SecretKind {
  /** Matches the file name of a secret file. In {@link secretPaths}, matches the full path. */
  readonly pattern: RegExp;
  /**
   * Lowercase globs that use only `*` and `[._]`. Every file of this kind matches at least one of
   * the globs; other files can also match.
   */
  readonly globs: readonly string[];
  /** Matches names of source files. These files are not secret even if their name matches `pattern`. */
  readonly exceptionPattern?: RegExp;
}

const sourceFilePattern =
  /\.(?:[cm]?[jt]sx?|go|rs|java|kts?|cs|rb|php|swift|[ch]|cc|cpp|hpp|m|scala|exs?|erl|dart|lua|sql|vue|svelte|html?|css|proto|graphql|sh|ps1|tf)$/iu;

const createExtensionGlobs = (...extensions: readonly string[]): string[] =>
  extensions.map((ending) => `*.${ending}`);

/**
 * Secret files, recognized by their name. Excludes names of ordinary source files such as `settings.py`. The names come
 * from the file signatures of the secret scanners shhgit (`config.yaml`) and gitrob (`signatures.json`). Other names
 * come from the examples of leaky-repo and from the documentation of programs.
 */
export const secretNames: readonly SecretKind[] = [
  { pattern: /^\.(env|flaskenv$)/iu, globs: ['.env*', '.flaskenv'] },
  { pattern: /\.env$/iu, globs: ['*.env'] },
  {
    pattern: /^env\.(production|prod|staging|development|dev|local|test)$/iu,
    globs: ['env.*'],
  },
  {
    pattern: /^id_[\w-]+$|_(rsa|dsa|ecdsa|ed25519)$/iu,
    globs: ['id_*', '*_rsa', '*_dsa', '*_ecdsa', '*_ed25519'],
  },
  {
    pattern:
      /^\.(dev\.vars(\..+)?|secrets?|tokens?|credentials|api[_-]?keys?|ftpconfig|tugboat|muttrc|esmtprc)$/iu,
    globs: [
      ...['.dev.vars', '.dev.vars.*', '.secret', '.secrets', '.token', '.tokens', '.credentials'],
      ...['.api*key', '.api*keys', '.ftpconfig', '.tugboat', '.muttrc', '.esmtprc'],
    ],
  },
  {
    pattern:
      /^(\.passwd-s3fs|deploy_key|\.(wgetrc|curlrc|wakatime\.cfg)|(secrets|connectionstrings)\.config|terraform\.rc)$/iu,
    globs: [
      ...['.passwd-s3fs', 'deploy_key', '.wgetrc', '.curlrc', '.wakatime.cfg', 'secrets.config'],
      ...['connectionstrings.config', 'terraform.rc'],
    ],
  },
  // Excludes `tokens.json`, which commonly contains colors and sizes of a design.
  {
    pattern:
      /^(token\.(json|txt)|keys\.(json|txt|env)|(.+[._-])?api[_-]?keys?([_-][\w-]+)?\.(json|ya?ml|toml|env|ini|csv|txt|properties)|api[_-]?key|apikeys?([_-][\w-]+)?)$/iu,
    globs: ['token.json', 'token.txt', 'keys.json', 'keys.txt', 'keys.env', '*api*key*'],
  },
  { pattern: /^api_key/iu, globs: ['api_key*'], exceptionPattern: sourceFilePattern },
  // Excludes `design-tokens.json`, which contains no secrets.
  {
    pattern:
      /^(\.?([a-z]+[._-])?(auth|access|refresh|bearer|id|session|bot|deploy|github|gitlab|slack|discord|npm|pypi|vault)[._-]?tokens?\.(json|txt|env|ya?ml|toml|ini|csv|properties)|.+[._-]tokens?\.(txt|env|ini|csv|properties)|\.[\w-]+[_-]tokens?|\w+_tokens?)$/iu,
    globs: ['*token*'],
  },
  {
    pattern:
      /^((.+[._ -])?service[_-]?account([._-].+)?\.json|\.?(.+[._-])?(secret_key(_base)?|aws_credentials)|[a-z]+_(credentials|secrets?)|.+ passwords?\.csv)$/iu,
    globs: [
      ...['*service*account*.json', '*secret_key*', '*_credentials', '*_secret', '*_secrets'],
      ...['* password.csv', '* passwords.csv'],
    ],
  },
  {
    pattern:
      /^(\.?my\.cnf|authinfo|initialadminpassword|hudson\.util\.secret|storage[_-]?state\.json|(.+[._-])?sentry\.properties|pgpass\.conf|clouds\.yaml|.+-openrc\.sh|(kube_)?admin\.conf|key\.properties|signing\.properties|local_settings\.py|auth\.toml|credentials\.sbt|tomcat-users\.xml|mgmt-users\.properties|consolehost_history\.txt|\.dbshell|\.condarc|wpa_supplicant\.conf|(ipsec|chap-|pap-)\.?secrets|master\.passwd|sasl_passwd|smbpasswd|passdb\.tdb|wallet\.json|keypair\.json|(.+[._-])?(recovery|backup)[._-]codes?\.txt|bitwarden_export.*|lastpass_export.*|(secrets?|keys|credentials)\.(plist|xcconfig))$/iu,
    globs: [
      ...['my.cnf', '.my.cnf', 'authinfo', 'initialadminpassword', 'hudson.util.secret'],
      ...['storage*state.json', '*sentry.properties', 'pgpass.conf', 'clouds.yaml', '*-openrc.sh'],
      ...['*admin.conf', 'key.properties', 'signing.properties', 'local_settings.py', 'auth.toml'],
      ...['credentials.sbt', 'tomcat-users.xml', 'mgmt-users.properties', '*_history.txt'],
      ...['.dbshell', '.condarc', 'wpa_supplicant.conf', '*secrets', 'master.passwd'],
      ...['sasl_passwd', 'smbpasswd', 'passdb.tdb', 'wallet.json', 'keypair.json'],
      ...['*recovery*code*.txt', '*backup*code*.txt', 'bitwarden_export*', 'lastpass_export*'],
      ...['secret*.plist', 'keys.plist', 'credential*.plist'],
      ...['secret*.xcconfig', 'keys.xcconfig', 'credential*.xcconfig'],
    ],
  },
  {
    pattern:
      /\.(jceks|bks|bcfks|pk8|pkcs8|pvk|privkey|jwk|keytab|ccache|nmconnection|1pux|passwd|htpasswd|pgp|session)$/iu,
    globs: createExtensionGlobs(
      ...['jceks', 'bks', 'bcfks', 'pk8', 'pkcs8', 'pvk', 'privkey', 'jwk', 'keytab', 'ccache'],
      ...['nmconnection', '1pux', 'passwd', 'htpasswd', 'pgp', 'session'],
    ),
  },
  {
    pattern:
      /\.(pem|key|p12|pfx|p8|der|asc|kdbx?|keystore|jks|ppk|tfvars(\.json)?|tfstate|ovpn|keychain(-db)?|agekey|pkcs12|psafe3|agilekeychain|bek|kwallet|kwl)$/iu,
    globs: [
      ...createExtensionGlobs(
        'pem',
        'key',
        'p12',
        'pfx',
        'p8',
        'der',
        'asc',
        'kdb',
        'kdbx',
        'keystore',
        'jks',
        'ppk',
      ),
      ...createExtensionGlobs(
        'tfvars',
        'tfvars.json',
        'tfstate',
        'ovpn',
        'keychain',
        'keychain-db',
        'agekey',
        'pkcs12',
        'psafe3',
        'agilekeychain',
        'bek',
        'kwallet',
        'kwl',
      ),
    ],
  },
  {
    pattern: /^[._]?(npmrc|netrc|pypirc|pgpass|git-credentials|yarnrc\.yml)$/iu,
    globs: ['npmrc', 'netrc', 'pypirc', 'pgpass', 'git-credentials', 'yarnrc.yml'].flatMap(
      (name) => [name, `[._]${name}`],
    ),
  },
  { pattern: /^\.?htpasswd$/iu, globs: ['htpasswd', '.htpasswd'] },
  {
    pattern:
      /^\.(vault-token|vault[_-]pass(word)?|dockercfg|terraformrc|s3cfg|boto|my\.cnf|mylogin\.cnf|databrickscfg|dockerconfigjson)$/iu,
    globs: [
      ...['.vault-token', '.vault_pass*', '.vault-pass*', '.dockercfg', '.terraformrc'],
      ...['.s3cfg', '.boto', '.my.cnf', '.mylogin.cnf', '.databrickscfg', '.dockerconfigjson'],
    ],
  },
  {
    pattern: /^\.([a-z]+(_[a-z]+)*_|z|r)?history$/iu,
    globs: ['.*_history', '.history', '.zhistory', '.rhistory'],
  },
  {
    pattern: /^\.?(s3cfg|muttrc|dockercfg|tugboat|odbc\.ini|ngrok\.yml|trc)$/iu,
    globs: ['s3cfg', 'muttrc', 'dockercfg', 'tugboat', 'odbc.ini', 'ngrok.yml', 'trc'].flatMap(
      (name) => [name, `.${name}`],
    ),
  },
  {
    pattern:
      /^\.(openai|anthropic|mnemonic|private[._-]?key|passwords?|passwd|pass|exports|extra|renviron|authinfo|mbsyncrc|offlineimaprc|rediscli_auth|vaultpass|claude\.json)$/iu,
    globs: [
      ...[
        '.openai',
        '.anthropic',
        '.mnemonic',
        '.private*key',
        '.password',
        '.passwords',
        '.passwd',
      ],
      ...['.pass', '.exports', '.extra', '.renviron', '.authinfo', '.mbsyncrc', '.offlineimaprc'],
      ...['.rediscli_auth', '.vaultpass', '.claude.json'],
    ],
  },
  // Excludes `vault.ts`, which is source code, and `seed.json`, which commonly contains initial data for a database.
  {
    pattern:
      /^((.+[._-])?vault\.(ya?ml|json)|(mnemonic|seed[._-]?phrase)s?\.(txt|json)|keys\.age\.txt|config\.inc\.php|favorites\.plist|configuration\.user\.xpl|jenkins\.plugins\.publish_over_ssh\.bapsshpublisherplugin\.xml|sftp-config)$/iu,
    globs: [
      ...['*vault.yaml', '*vault.yml', '*vault.json', 'mnemonic*', 'seed*phrase*', 'keys.age.txt'],
      ...['config.inc.php', 'favorites.plist', 'configuration.user.xpl', 'jenkins.plugins.*'],
      'sftp-config',
    ],
  },
  {
    pattern: /\.(cscfg|rdp|tpm|fve|tblk|keypair|keyring|remmina)$/iu,
    globs: createExtensionGlobs(
      'cscfg',
      'rdp',
      'tpm',
      'fve',
      'tblk',
      'keypair',
      'keyring',
      'remmina',
    ),
  },
  {
    pattern:
      /^(\.credentials\.json|oauth_creds\.json|oauth_token\.json|access_token\.txt|\.github_token|\.ftppass|\.clasprc\.json|\.sentryclirc|\.?vault_pass(word)?(\.txt)?|keystore\.properties)$/iu,
    globs: [
      ...['.credentials.json', 'oauth_creds.json', 'oauth_token.json', 'access_token.txt'],
      ...['.github_token', '.ftppass', '.clasprc.json', '.sentryclirc', 'vault_pass*'],
      ...['.vault_pass*', 'keystore.properties'],
    ],
  },
  {
    pattern:
      /^(wallet\.dat|key[34]\.db|logins\.json|local\.settings\.json|master\.key|secring\.gpg)$/iu,
    globs: [
      'wallet.dat',
      'key*.db',
      'logins.json',
      'local.settings.json',
      'master.key',
      'secring.gpg',
    ],
  },
  { pattern: /^utc--.*--(0x)?[0-9a-f]{40}(\.json)?$/iu, globs: ['utc--*'] },
  {
    pattern:
      /^(sftp-config\.json|\.remote-sync\.json|filezilla\.xml|recentservers\.xml|sitemanager\.xml|\.?dbeaver-data-sources\.xml|credentials-config\.json|robomongo\.json|proftpdpasswd|ventrilo_srv\.ini|otr\.private_key|secret_token\.rb|localsettings\.php|heroku\.json)$/iu,
    globs: [
      ...['sftp-config.json', '.remote-sync.json', 'filezilla.xml', 'recentservers.xml'],
      ...['sitemanager.xml', '*dbeaver-data-sources.xml', 'credentials-config.json'],
      ...['robomongo.json', 'proftpdpasswd', 'ventrilo_srv.ini', 'otr.private_key'],
      ...['secret_token.rb', 'localsettings.php', 'heroku.json'],
    ],
  },
  { pattern: /^(pip|rclone)\.conf$/iu, globs: ['pip.conf', 'rclone.conf'] },
  {
    pattern:
      /^(credentials|secrets|service-?account.*)(\.(json|ya?ml|toml|env|ini|xml|csv|properties|tfrc\.json))?$/iu,
    globs: ['credentials*', 'secrets*', 'service-account*', 'serviceaccount*'],
    exceptionPattern: sourceFilePattern,
  },
  // Excludes source files: a program named after secrets handles secrets but contains none.
  {
    pattern:
      /^(.+[._-])?(secrets?|credentials?|passwords?|private[._-]?key|(access|root)[._-]?keys?)([._-][\w-]+)?\.(json|ya?ml|toml|env|ini|csv|txt|properties)$/iu,
    globs: ['secret', 'credential', 'password', 'private*key', 'access*key', 'root*key'].map(
      (word) => `*${word}*`,
    ),
  },
  {
    pattern: /^(secrets\.py|.+\.secret\.exs|wp-config\.php|auth\.json)$/iu,
    globs: ['secrets.py', '*.secret.exs', 'wp-config.php', 'auth.json'],
  },
  {
    pattern:
      /^(.*firebase-adminsdk.*|client_secret.*|application_default_credentials|keystore|.*[_-]key)\.json$/iu,
    globs: [
      '*firebase-adminsdk*.json',
      'client_secret*.json',
      'application_default_credentials.json',
      'keystore.json',
      '*key.json',
    ],
  },
  {
    pattern:
      /^(cookies\.(sqlite|txt)|login data|\.viminfo|\.lesshst|fish_history|kaggle\.json|gha-creds-.+\.json|nuget\.config|settings-security\.xml|pg_service\.conf|\.(msmtprc|fetchmailrc|lftprc|smbcredentials|doppler\.ya?ml)|wg\d+\.conf|knife\.rb|carrierwave\.rb|database\.yml|.+\.gpg|(openai|anthropic|ssh_host)[a-z_]*_key(\.txt)?)$/iu,
    globs: [
      ...['cookies.sqlite', 'cookies.txt', 'login data', '.viminfo', '.lesshst', 'fish_history'],
      ...['kaggle.json', 'gha-creds-*.json', 'nuget.config', 'settings-security.xml'],
      ...[
        'pg_service.conf',
        '.msmtprc',
        '.fetchmailrc',
        '.lftprc',
        '.smbcredentials',
        '.doppler.y*',
      ],
      ...['wg*.conf', 'knife.rb', 'carrierwave.rb', 'database.yml', '*.gpg', '*_key', '*_key.txt'],
    ],
  },
  { pattern: /^appsettings\.[^/]+\.json$/iu, globs: ['appsettings.*.json'] },
  { pattern: /^(.+\.)?kubeconfig(\.ya?ml)?$/iu, globs: ['*kubeconfig*'] },
];

/**
 * Individual secret files, recognized by their folder and name. The paths come from the same sources as {@link
 * secretNames}.
 */
export const secretPaths: readonly SecretKind[] = [
  {
    pattern: /(^|\/)\.(cargo\/credentials\.toml|gem\/credentials|composer\/auth\.json)$/iu,
    globs: ['credentials*', 'auth.json'],
  },
  { pattern: /(^|\/)\.docker\/config\.json$/iu, globs: ['config.json'] },
  {
    pattern: /(^|\/)(\.config\/(gh\/hosts\.yml|linode-cli)|\.?config\/hub)$/iu,
    globs: ['hosts.yml', 'hub', 'linode-cli'],
  },
  {
    pattern:
      /(^|\/)(doctl\/config\.yaml|\.?ssh\/config|\.?xchat2?\/servlist_?\.conf|\.?irssi\/config|etc\/g?shadow|\.config\/helm\/registry\/config\.json)$/iu,
    globs: ['config.yaml', 'config', 'servlist*.conf', 'shadow', 'gshadow', 'config.json'],
  },
  {
    pattern: /(^|\/)\.git\/((modules|worktrees)\/.+\/)?config(\.worktree)?$/iu,
    globs: ['config', 'config.worktree'],
  },
  {
    pattern: /(^|\/)(\.m2\/settings\.xml|\.gradle\/gradle\.properties|\.vscode\/sftp\.json)$/iu,
    globs: ['settings.xml', 'gradle.properties', 'sftp.json'],
  },
  {
    pattern: /(^|\/)(\.circleci\/cli\.yml|\.travis\/config\.yml|\.expo\/state\.json)$/iu,
    globs: ['cli.yml', 'config.yml', 'state.json'],
  },
  {
    pattern: /(^|\/)(\.idea\/webservers\.xml|\.?recon-ng\/keys\.db)$/iu,
    globs: ['webservers.xml', 'keys.db'],
  },
];

/** Folders whose entire contents are secret. The files in them can have any name. */
const secretFolderPatterns = [
  /(^|\/)\.(aws|ssh|gnupg|azure|password-store|kube|envs?|secrets?|purple|auth|cloudflared|jfrog|supabase|bash_sessions|zsh_sessions)\//iu,
  /(^|\/)\.config\/(gcloud|op|sops|github-copilot|openai|anthropic|glab-cli|hcloud|scw|stripe|ngrok|configstore|solana|neomutt)\//iu,
  /(^|\/)\.(op|huggingface|wrangler\/config|netlify|openai|anthropic|ngrok2|fly|railway|snowsql|snowflake|dbt|oci|aliyun|bluemix|age|jupyter)\//iu,
  // Uncompressed copies of files, which may have any name: objects of Git LFS, and files of an interrupted Git command.
  /(^|\/)\.git\/(.+\/)?(lfs\/(objects|incomplete|tmp|cache)|rebase-(merge|apply)|sequencer)\//iu,
  /(^|\/)\.(local\/share\/keyrings|ethereum\/keystore|foundry\/keystores)\//iu,
];

const pathPatterns = [...secretPaths.map(({ pattern }) => pattern), ...secretFolderPatterns];

/**
 * Globs for the names of all secret files and their copies, except files that are secret only because of their folder
 * ({@link secretFolderPatterns}). Ripgrep uses these globs to find secret files without listing all files.
 */
export const secretNameGlobs: readonly string[] = [
  ...new Set(
    [...secretNames, ...secretPaths].flatMap(({ globs }) =>
      globs.flatMap((glob) => [glob, `${glob}[.~ ]*`]),
    ),
  ),
];

/**
 * Matches a suffix that editors and users add to the names of backup copies, for example `.bak` in `.env.bak` or
 * ` (copy)` in `id_rsa (copy)`.
 */
const copySuffixPattern =
  /(?:\.(?:bak|backup|old|orig|git|save|saved|copy|tmp|swp|\d{1,4})|~| \(?(?:copy(?: \d{1,4})?|\d{1,4})\)?)$/iu;
const maxCopySuffixes = 8;

/**
 * Checks whether files of this name commonly contain keys or passwords. For a backup copy such as `.env.bak`, also
 * checks the name of the original file. Returns true for a name with too many backup suffixes. Ignores letter case and
 * Unicode normalization forms.
 * @param path Path with forward slashes.
 */
export function isLikelySecret(path: string): boolean {
  const foldedPath = foldPath(path);
  return isSecretOrCopy(path) || (foldedPath !== path && isSecretOrCopy(foldedPath));
}

function isSecretOrCopy(path: string): boolean {
  let originalPath = path;
  for (let suffixCount = 0; suffixCount < maxCopySuffixes; suffixCount += 1) {
    if (hasSecretName(originalPath)) return true;
    const shorterPath = originalPath.replace(copySuffixPattern, '');
    if (shorterPath === originalPath) return false;
    originalPath = shorterPath;
  }
  // Real files have fewer copy suffixes, so the name is meant to evade the check.
  return true;
}

function hasSecretName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    secretNames.some(
      ({ pattern, exceptionPattern }) => pattern.test(name) && !exceptionPattern?.test(name),
    ) || pathPatterns.some((pattern) => pattern.test(path))
  );
}
