import * as l10n from '@vscode/l10n';
import {
  gitReason,
  hasLongOption,
  hasShortOption,
  hasOnlyOptions,
  operands,
} from './command-options.ts';
import { hasKnownArguments, commandShape } from './command-shapes.ts';
import { sensitivePathReason } from './command-text.ts';
import type { Reason } from '../../workspace/verdict.ts';

/**
 * Returns why these arguments let a harmless program run code, write, or access more than it seems
 * to; undefined when no such effect is known.
 * @param name As returned by `programName`.
 */
export function argumentReason(name: string, args: readonly string[]): Reason | undefined {
  const rule = Object.hasOwn(argumentRules, name) ? argumentRules[name] : undefined;
  const text = rule?.(args);
  if (text !== undefined) return { code: 'argument', text };
  return name === 'git' ? gitReason(args) : argumentShapeReason(name, args);
}

/**
 * Returns a reason unless all options and words are known to be harmless, because others can have
 * many effects.
 */
function argumentShapeReason(name: string, args: readonly string[]): Reason | undefined {
  const shape = commandShape(name, args);
  if (!shape) return unknownCommand();
  if (!hasKnownArguments(shape, args)) return unknownArgument();
  return shape.hasOwnRules
    ? undefined
    : args.map(sensitivePathReason).find((reason) => reason !== undefined);
}

const unknownCommand = (): Reason => ({
  code: 'unknown',
  text: l10n.t('It is none of the commands that can be allowed for good, and may run any code.'),
});
const unknownArgument = (): Reason => ({
  code: 'argument',
  text: l10n.t('It has options or words that are not known to be harmless.'),
});

/** Returns the reason as one sentence; undefined when the arguments are harmless. */
type Rule = (args: readonly string[]) => string | undefined;

const canWriteFiles = (): string => l10n.t('These options can write files.');
const canRunCommands = (): string => l10n.t('These options can run other commands.');
const canReachFiles = (): string => l10n.t('These options can reach files beyond the ones named.');

const argumentRules: Readonly<Record<string, Rule>> = {
  find: (args) => (args.some((arg) => riskyFindAction.test(arg)) ? canRunCommands() : undefined),
  fd: (args) =>
    hasLongOption(args, ['--exec', '--exec-batch']) || hasShortOption(args, 'xX')
      ? canRunCommands()
      : undefined,
  rg: (args) => {
    if (hasLongOption(args, ['--pre', '--pre-glob', '--hostname-bin', '--search-zip']))
      return canRunCommands();
    if (hasShortOption(args, 'z')) return canRunCommands();
    const riskyOptions = [
      '--follow',
      '--hidden',
      '--no-ignore',
      '--unrestricted',
      '--file',
      '--ignore-file',
    ];
    return hasLongOption(args, riskyOptions) || hasShortOption(args, 'Lfu.')
      ? canReachFiles()
      : undefined;
  },
  grep: (args) =>
    hasLongOption(args, ['--file', '--dereference-recursive']) || hasShortOption(args, 'fR')
      ? canReachFiles()
      : undefined,
  sed: (args) => (isHarmlessSed(args) ? undefined : canWriteFiles()),
  sort: (args) => {
    if (hasLongOption(args, ['--compress-program'])) return canRunCommands();
    const riskyOptions = ['--output', '--temporary-directory', '--files0-from', '--buffer-size'];
    return hasLongOption(args, riskyOptions) || hasShortOption(args, 'oST')
      ? canWriteFiles()
      : undefined;
  },
  uniq: (args) => (operands(args).length > 1 ? canWriteFiles() : undefined),
  tree: (args) =>
    hasLongOption(args, ['--fromfile', '--output']) || hasShortOption(args, 'oR')
      ? canWriteFiles()
      : undefined,
  column: (args) =>
    hasShortOption(args, 'c') || hasLongOption(args, ['--output-width'])
      ? l10n.t('It can use up the memory.')
      : undefined,
  date: (args) =>
    hasLongOption(args, ['--set', '--file', '--reference']) ||
    hasShortOption(args, 'sfr') ||
    operands(args).some((arg) => !arg.startsWith('+'))
      ? l10n.t('It can set the clock.')
      : undefined,
  file: (args) =>
    hasLongOption(args, ['--compile', '--files-from', '--uncompress']) ||
    hasShortOption(args, 'CfzZ')
      ? canReachFiles()
      : undefined,
  wc: (args) => (hasLongOption(args, ['--files0-from']) ? canReachFiles() : undefined),
  du: (args) =>
    hasLongOption(args, ['--files0-from', '--exclude-from']) || hasShortOption(args, 'X')
      ? canReachFiles()
      : undefined,
  tail: (args) =>
    hasLongOption(args, ['--follow', '--retry', '--pid']) || hasShortOption(args, 'fF')
      ? l10n.t('It would not end by itself.')
      : undefined,
  printf: (args) =>
    hasShortOption(args.slice(0, 1), 'v') ? l10n.t('It sets a variable.') : undefined,
  diff: (args) => (hasLongOption(args, ['--from-file', '--to-file']) ? canReachFiles() : undefined),
  cd: (args) =>
    args.length === 1 && !args[0]?.startsWith('-')
      ? undefined
      : l10n.t('It leaves for a folder that is not named.'),
};

const riskyFindAction = /^-(?:delete|exec|ok|fprint|fls|files0-from|f$)/u;

/**
 * Accepts printing selected lines, or one plain substitution. Other sed scripts can run commands
 * and write files.
 */
function isHarmlessSed(args: readonly string[]): boolean {
  const [script = '', ...files] = operands(args);
  const options = /^(?:-[nErsuz]+|--(?:quiet|silent|regexp-extended|null-data|debug))$/u;
  if (!hasOnlyOptions(args, options) || files.includes('-')) return false;
  const printScript = /^(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?[pdq]$/u;
  const substituteScript =
    /^s(?<mark>[/|,#])(?:(?!\k<mark>)[^\n\\]|\\[^\n])*\k<mark>(?:(?!\k<mark>)[^\n\\]|\\[^\n])*\k<mark>[gpIi0-9]*$/u;
  return printScript.test(script) || substituteScript.test(script);
}

/** Returns the name that rules are written for: systems and shells treat `NPM.CMD` as `npm`. */
export const programName = (word: string): string =>
  word.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/u, '');

/**
 * Returns why a program requires approval every time, whatever its arguments; undefined for other
 * programs.
 * @param name As returned by `programName`.
 */
export function programReason(name: string): Reason | undefined {
  return programGroups.find(({ programs }) => programs.has(name))?.reason();
}

interface ProgramGroup {
  readonly reason: () => Reason;
  readonly programs: ReadonlySet<string>;
}

const programGroup = (code: string, text: () => string, names: string): ProgramGroup => ({
  reason: () => ({ code, text: text() }),
  programs: new Set(names.split(/\s+/u).filter(Boolean)),
});

const programGroups: readonly ProgramGroup[] = [
  programGroup(
    'wrapper',
    () => l10n.t('It starts another command in a way that hides which.'),
    `env xargs nohup nice ionice setsid stdbuf timeout sudo doas su runuser time command builtin
     exec coproc parallel watch strace ltrace gdb chroot unshare nsenter flock script expect
     busybox toybox ssh-agent dbus-run-session systemd-run start at batch crontab
     docker podman nerdctl kubectl vagrant wsl start-process saps start-job sajb invoke-command icm
     foreach-object foreach where-object runas schtasks rundll32 mshta regsvr32 wscript cscript`,
  ),
  programGroup(
    'shell-state',
    () => l10n.t('It changes the shell itself, and so what later commands do.'),
    `export declare typeset local readonly unset set shopt enable hash alias unalias trap source .
     eval let read mapfile readarray getopts exit return bind complete disown fg bg jobs ulimit umask
     pushd popd set-alias sal new-alias nal set-variable sv new-variable nv set-location sl
     push-location pop-location import-module ipmo invoke-expression iex add-type
     if then else elif fi for while until do done case esac select function time in [[`,
  ),
  programGroup(
    'interpreter',
    () => l10n.t('It runs code that is given to it.'),
    `awk gawk mawk nawk osascript tclsh lua irb ghci jshell jq yq sqlite3 psql mysql mongo mongosh
     redis-cli vi vim nvim ex ed emacs nano less more most man info busctl gdb lldb m4
     cmd powershell pwsh invoke-item ii`,
  ),
  programGroup(
    'network',
    () => l10n.t('It can reach the network.'),
    `curl wget wget2 aria2c http https xh ping ping6 dig nslookup host getent drill traceroute
     tracepath mtr ssh scp sftp rsync nc ncat netcat socat telnet ftp tftp lftp nmap openssl whois
     rclone aws gcloud az gh glab hub terraform tofu helm ansible ansible-playbook heroku vercel
     netlify flyctl s3cmd gsutil mail sendmail finger irssi w3m lynx links
     invoke-webrequest iwr invoke-restmethod irm test-netconnection tnc test-connection
     resolve-dnsname start-bitstransfer bitsadmin certutil`,
  ),
  programGroup(
    'changes-files',
    () => l10n.t('It can change or remove files.'),
    `rm rmdir unlink mv cp ln dd shred truncate tee install touch mkdir mknod mkfifo mkfs chmod chown
     chgrp chattr setfacl split csplit tar zip unzip gzip gunzip bzip2 xz zstd 7z cpio patch sponge
     rename mount umount del erase rd md ren move copy xcopy robocopy attrib icacls takeown format
     remove-item ri move-item mi copy-item cpi rename-item rni new-item ni set-content sc
     add-content ac clear-content clc out-file tee-object set-item si clear-item cli
     set-itemproperty sp remove-itemproperty rp expand-archive compress-archive set-acl reg`,
  ),
  programGroup(
    'system',
    () => l10n.t('It can change the system or what runs on it.'),
    `kill killall pkill skill shutdown reboot halt poweroff init systemctl service launchctl useradd
     usermod passwd visudo iptables sysctl modprobe insmod loginctl hostnamectl timedatectl
     defaults stop-process spps stop-service spsv start-service sasv restart-service set-service
     restart-computer stop-computer set-executionpolicy net netsh wmic
     code open xdg-open`,
  ),
  programGroup(
    'environment',
    () => l10n.t('It shows variables, which may hold keys.'),
    'printenv ps top htop history get-history get-variable gv get-process gps',
  ),
  programGroup(
    'packages',
    () => l10n.t('It fetches or installs packages, which can run code.'),
    `npx pnpx bunx uvx corepack pip pip3 pipx uv poetry pdm pipenv conda mamba gem bundle composer
     brew apt apt-get aptitude dpkg dnf yum rpm zypper apk pacman snap flatpak port nix nix-env
     nix-shell choco winget scoop install-module install-package nuget cpan cpanm luarocks opam
     cabal stack mix rebar3 sbt bazel buck cmake ninja meson`,
  ),
];
