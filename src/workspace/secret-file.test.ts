import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { isLikelySecret, secretNameGlobs, secretNames, secretPaths } from './secret-file.ts';

test.each([
  '/w/.env',
  '/w/.env.local',
  '/w/id_rsa.git',
  '/w/cert.pem.git',
  '/w/\uFF0Eenv',
  '/w/\u0131d_rsa',
  '/home/a/.ssh/config',
  '/w/id_rsa',
  '/w/cert.PEM',
  '/w/a.key',
  '/w/.npmrc',
  '/w/.git/config',
  '/home/a/.aws/credentials',
  '/home/a/.kube/config',
  '/w/UTC--2026-01-01T00-00-00.0Z--00000000000000000000000000000000000000aa',
  '/w/secrets.yaml',
  '/w/.envrc',
  '/w/.env~',
  '/w/prod.env',
  '/w/id_rsa_work',
  '/w/id_ed25519_sk',
  '/home/a/_netrc',
  '/home/a/.pgpass',
  '/home/a/.docker/config.json',
  '/w/infra/live.tfvars',
  '/w/service-account-prod.json',
  '/w/office.ovpn',
  '/w/passwords.kdbx',
  '/home/a/.bash_history',
  '/home/a/.config/gcloud/access_tokens.db',
  '/home/a/.azure/msal_token_cache.json',
  '/home/a/.cargo/credentials.toml',
  '/home/a/.my.cnf',
  '/w/site/.htpasswd',
  '/w/local.settings.json',
  '/w/config/master.key',
  '/w/.env.bak',
  '/w/id_rsa.bak',
  '/w/id_ed25519.old',
  '/w/server.pem.backup',
  '/w/a.key~',
  '/w/terraform.tfstate.backup',
  '/w/secrets.yaml.orig',
  '/w/prod.env.bak.2',
  '/home/a/.kube/config.bak',
  '/w/.npmrc.save',
  '/w/serviceAccountKey.json',
  '/w/my-firebase-adminsdk-1a2b3.json',
  '/w/firebase-adminsdk.json',
  '/home/a/application_default_credentials.json',
  '/w/client_secret.json',
  '/w/client_secret_123.apps.example.com.json',
  '/w/kubeconfig',
  '/w/prod.kubeconfig',
  '/w/kubeconfig.yaml',
  '/w/AuthKey_1.p8',
  '/w/private.asc',
  '/w/secring.gpg',
  '/w/private.der',
  '/w/credentials.csv',
  '/home/a/.terraform.d/credentials.tfrc.json',
  '/w/secrets.py',
  '/w/env.production',
  '/w/appsettings.Production.json',
  '/w/auth.json',
  '/w/wp-config.php',
  '/w/office.OVPN',
  '/w/htpasswd',
  '/w/dev.secret.exs',
  '/w/gcp-key.json',
  '/w/terraform.tfvars.json',
  '/w/prod.auto.tfvars.json',
  '/w/secrets.prod.yaml',
  '/w/app.secrets.json',
  '/w/my-secrets.yaml',
  '/w/secret.yaml',
  '/w/rootkey.csv',
  '/w/accessKeys.csv',
  '/w/ada_accessKeys.csv',
  '/home/a/.kube/prod.yaml',
  '/w/.env/prod',
  '/w/.envs/.local/.django',
  '/w/.flaskenv',
  '/w/.git/modules/a/b/config',
  '/home/a/.m2/settings.xml',
  '/home/a/.gradle/gradle.properties',
  '/home/a/.config/pip/pip.conf',
  '/home/a/.config/rclone/rclone.conf',
  '/home/a/.databrickscfg',
  '/w/.dockerconfigjson',
  '/w/.vscode/sftp.json',
  '/w/keystore.json',
  '/w/UTC--2026-01-01T00-00-00.0Z--00000000000000000000000000000000000000aa.json',
  '/w/id_rsa copy',
  '/w/id_rsa (copy)',
  '/w/id_rsa (copy 2)',
  '/w/id_rsa.1 2',
  '/w/passwords.csv',
  '/w/private-key.txt',
])('recognizes %s as secret', (path) => {
  expect(isLikelySecret(path)).toBe(true);
});

test.each([
  '/w/src/app.ts',
  '/w/environment.ts',
  '/w/keyboard.ts',
  '/w/docs/ssh.md',
  '/w/identity.ts',
  '/w/tokens.css',
  '/w/src/history.ts',
  '/w/.config/app.json',
  '/w/env.ts',
  '/w/env.production.ts',
  '/w/environments/environment.prod.ts',
  '/w/src/auth.ts',
  '/w/src/secrets.ts',
  '/w/src/credentials.ts',
  '/w/notes.bak',
  '/w/notes.txt.bak.2~',
  '/w/appsettings.json',
  '/w/~',
  '/w/client-secret.ts',
  '/w/secret-file.ts',
  '/w/passwords.test.ts',
  '/w/private-key.go',
  '/w/secret.tf',
  '/w/secretary.txt',
  '/w/password-rules.md',
  '/w/passwordless.json',
  '/w/.vscode/settings.json',
  '/w/settings.xml',
  '/w/gradle.properties',
  '/w/nginx.conf',
  '/w/envs/prod.ts',
  '/w/README copy.md',
  '/w/notes (copy)',
])('does not recognize %s as secret', (path) => {
  expect(isLikelySecret(path)).toBe(false);
});

test.each([...secretNames, ...secretPaths])(
  'every name that matches $pattern also matches one of its globs',
  (kind) => {
    const isPath = secretPaths.includes(kind);
    const matching = fc
      .stringMatching(new RegExp(kind.pattern.source, 'u'))
      // Patterns for file names can generate slashes, which names cannot contain.
      .map((path) => (isPath ? path : path.replaceAll('/', '_')));
    fc.assert(
      fc.property(matching, (path) => {
        const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
        expect(kind.globs.some((glob) => matchesGlob(glob, name))).toBe(true);
      }),
    );
    for (const glob of kind.globs) expect(secretNameGlobs).toContain(glob);
  },
);

test.each([
  '.env.bak',
  'id_rsa.bak',
  'server.pem.backup',
  'a.key~',
  'prod.env.bak.2',
  '.npmrc.save',
  'secrets.yaml.orig~',
  'kubeconfig.old',
  'wp-config.php.1',
  'gcp-key.json.tmp',
  'config.json.bak',
  'hosts.yml~',
  'id_rsa copy',
  'id_rsa (copy)',
])('the copy %s matches a glob of secret names', (name) => {
  expect(secretNameGlobs.some((glob) => matchesGlob(glob, name))).toBe(true);
});

/** Checks a name against a glob that uses only `*`, `[._]` and `[.~ ]`. */
const matchesGlob = (glob: string, name: string): boolean =>
  new RegExp(
    `^${glob.replaceAll(/\[\.(?:_|~ )\]|[.*]/gu, (sign) => ({ '.': '\\.', '*': '[^]*' })[sign] ?? sign)}$`,
    'u',
  ).test(name);
