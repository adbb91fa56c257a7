import { expect, test } from 'vitest';
import { isLikelySecret } from './secret-file.ts';

const splitNames = (text: string): readonly string[] => text.trim().split(/\s+/u);

/**
 * One example path for each file or path signature of shhgit (`config.yaml`). Excludes logs, databases, dumps, ordinary
 * source files (`settings.py`, `config.php`, `omniauth.rb`), and shell settings, which are protected against changes
 * only.
 */
const shhgitNames =
  splitNames(`a.pem a.pkcs12 a.p12 a.pfx a.asc otr.private_key a.ovpn a.cscfg a.rdp a.bek a.tpm a.fve a.jks
  a.psafe3 secret_token.rb carrierwave.rb database.yml a.agilekeychain a.keychain
  jenkins.plugins.publish_over_ssh.BapSshPublisherPlugin.xml credentials.xml a.kwallet LocalSettings.php a.tblk
  Favorites.plist configuration.user.xpl knife.rb proftpdpasswd robomongo.json filezilla.xml recentservers.xml
  ventrilo_srv.ini terraform.tfvars .exports .extra a_rsa a_dsa a_ed25519 a_ecdsa .ssh/config ssh/config a.key
  a.keypair .bash_history .zsh_history .sh_history .zhistory .history .mysql_history .psql_history .pgpass pgpass
  .irb_history .purple/accounts.xml .xchat2/servlist_.conf .irssi/config .recon-ng/keys.db dbeaver-data-sources.xml
  .dbeaver-data-sources.xml .muttrc muttrc .s3cfg s3cfg .aws/credentials aws/credentials sftp-config sftp-config.json
  .trc a.keystore a.keyring a.kdb a.kdbx .htpasswd htpasswd .netrc _netrc .gem/credentials .tugboat tugboat
  doctl/config.yaml .git-credentials git-credentials config/hub .chef/a.pem etc/shadow .dockercfg dockercfg .npmrc
  npmrc .env`);

/** Files in which programs store tokens, as named in the documentation of each program. */
const programFiles =
  splitNames(`.config/github-copilot/hosts.json .config/github-copilot/apps.json vault.yaml vault.yml
  vault.json group_vars/all/vault.yml ansible-vault.yml .openai .openai/auth.json .anthropic .anthropic/config.json
  .config/openai/key .codex/auth.json .gemini/oauth_creds.json .claude/.credentials.json .claude.json
  .local/share/opencode/auth.json .config/gh/hosts.yml .config/glab-cli/config.yml .config/doctl/config.yaml
  .config/hcloud/cli.toml .config/scw/config.yaml .config/linode-cli .config/stripe/config.toml ngrok.yml
  .config/ngrok/ngrok.yml .ngrok2/ngrok.yml .fly/config.yml .railway/config.json .config/configstore/firebase-tools.json
  .snowsql/config .snowflake/connections.toml .dbt/profiles.yml odbc.ini .odbc.ini .rediscli_auth .boto
  .oci/config .aliyun/config.json .bluemix/config.json .pulumi/credentials.json .terraform.d/credentials.tfrc.json
  .jupyter/jupyter_server_config.json .kaggle/kaggle.json .config/helm/registry/config.json .vault-token .vaultpass
  .age/key.txt keys.age.txt .config/sops/age/keys.txt .gnupg/private-keys-v1.d/a.key .minisign/minisign.key
  .config/containers/auth.json .config/rclone/rclone.conf .config/remmina/a.remmina .local/share/keyrings/login.keyring
  .mozilla/firefox/a/logins.json .ethereum/keystore/a .config/solana/id.json .foundry/keystores/a
  mnemonic.txt seed-phrase.txt .mnemonic .private_key .privatekey private.key.json config.inc.php
  .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml .m2/settings-security.xml .nuget/NuGet.Config
  .Rhistory .Renviron .netrc.gpg .authinfo .authinfo.gpg .mbsyncrc .offlineimaprc .fetchmailrc .config/neomutt/muttrc
  .password .passwords .passwd .pass`);

/**
 * Files in which servers, build tools and password managers store keys, as named in the documentation of each program.
 */
const otherSecretFiles =
  splitNames(`service_account.json gcp-service-account.json serviceAccount.prod.json auth_token.txt .auth_token
  access-token.txt access_token github_token.txt discord-token.env .slack-token secret_key .secret_key secret_key_base
  aws_credentials db_credentials sentry.properties storageState.json playwright/.auth/user.json my.cnf authinfo
  .passwd-s3fs deploy_key .wgetrc .curlrc .wakatime.cfg secrets.config ConnectionStrings.config terraform.rc
  initialAdminPassword hudson.util.Secret api_key.py api_keys.py api_key2 api_key.prod api_key.dat api_key.md
  api_keys.xml pgpass.conf clouds.yaml prod-openrc.sh admin.conf key.properties signing.properties local_settings.py
  auth.toml credentials.sbt tomcat-users.xml mgmt-users.properties ConsoleHost_history.txt .dbshell .condarc
  wpa_supplicant.conf ipsec.secrets chap-secrets master.passwd sasl_passwd smbpasswd passdb.tdb wallet.json keypair.json
  github-recovery-codes.txt backup_codes.txt bitwarden_export_20260101.json lastpass_export.csv Secrets.plist
  Secrets.xcconfig a.jceks a.bks a.pk8 a.pvk a.privkey a.jwk a.keytab a.nmconnection a.1pux a.passwd a.htpasswd a.pgp
  anon.session .circleci/cli.yml .travis/config.yml .expo/state.json .cloudflared/a.json .jfrog/jfrog-cli.conf.v6
  .supabase/access-token`);

test('isLikelySecret recognizes a password file exported by a browser', () => {
  expect(isLikelySecret('/home/a/Chrome Passwords.csv')).toBe(true);
});

test.each([...shhgitNames, ...programFiles, ...otherSecretFiles])(
  'isLikelySecret recognizes %s as secret',
  (path) => {
    expect(isLikelySecret(path)).toBe(true);
    expect(isLikelySecret(`/home/a/${path.toUpperCase()}`)).toBe(true);
  },
);

test.each(
  splitNames(`src/vault.ts src/openai.ts docs/history.md src/seed.ts db/seeds.rb prisma/seed.json src/wallet.ts a.rdpx
    src/passwd.c lib/pass.go config/hub.ts src/keyring.ts src/hosts.json src/apps.json config.yaml profiles.yml
    cli.toml src/config/hub.js .gitignore docs/netrc.md package.json tokens.json src/connections.toml HISTORY.md
    api_key.ts api_keys.test.tsx src/api_key.go app/api_key.rb docs/api-keys.md design-tokens.json color_tokens.json
    src/access-token.ts docs/tokens.md token-ring.c service_account.ts src/session.ts src/auth/index.ts wallet.ts
    src/service-accounts.go local_settings.ts auth-token tokenizer.json tokenizer_config.json added_tokens.json
    special_tokens_map.json src/secret_key.rs key_properties.ts app.properties cli.yml state.json`),
)('isLikelySecret does not recognize %s as secret', (path) => {
  expect(isLikelySecret(path)).toBe(false);
});
