import * as l10n from '@vscode/l10n';
import { findGitReason } from './git-commands.ts';
import { hasKnownArguments, findCommandShape } from './command-shapes.ts';
import { findSensitivePathReason } from './command-text.ts';
import type { ShellKind } from './command-line.ts';
import { isReadingCmdlet } from './reading-cmdlets.ts';
import { findReadingCommand, readingPrograms } from './reading-commands.ts';
import type { Reason } from '../../workspace/verdict.ts';

/**
 * Returns the reason why a command's arguments may be harmful. Returns undefined if all arguments are known to be
 * harmless.
 * @param name As returned by `getProgramName`.
 */
export function findArgumentReason(
  name: string,
  args: readonly string[],
  shell: ShellKind,
): Reason | undefined {
  if (name === 'git') return findGitReason(args);
  if (name === 'cd' || name === 'chdir')
    return args.length === 1 && !args[0]?.startsWith('-') ? undefined : createUnnamedFolderReason();
  if (readingPrograms.has(name) || (shell === 'powershell' && isReadingCmdlet(name)))
    return findReadingCommand([name, ...args], shell)
      ? undefined
      : createUnknownArgumentReason(
          args,
          (rest) => findReadingCommand([name, ...rest], shell) !== undefined,
        );
  const shape = findCommandShape(name, args);
  if (!shape) return createUnknownCommandReason();
  if (!hasKnownArguments(shape, args))
    return createUnknownArgumentReason(args, (rest) => hasKnownArguments(shape, rest));
  return args
    .filter((word) => word !== shape.configurationPath)
    .map(findSensitivePathReason)
    .find((reason) => reason !== undefined);
}

const createUnknownCommandReason = (): Reason => ({
  code: 'unknown',
  text: l10n.t('This command can’t be always allowed, because it isn’t a known command.'),
});
/**
 * Returns the reason to require approval of a command with unknown arguments. If an option is the only unknown
 * argument, the reason names it.
 * @param isKnown Checks whether the command would be allowed with the given arguments.
 */
function createUnknownArgumentReason(
  args: readonly string[],
  isKnown: (args: readonly string[]) => boolean,
): Reason {
  const option = args.find(
    (word, index) => word.startsWith('-') && isKnown(args.toSpliced(index, 1)),
  );
  return {
    code: 'argument',
    text:
      option === undefined
        ? l10n.t('Some of its options or arguments aren’t known to be harmless.')
        : l10n.t('The option {0} isn’t known to be harmless.', `\`${option}\``),
  };
}

/**
 * Returns the reason to require approval if a command such as `cd` has no arguments. The command then changes to a
 * folder that the command line does not name.
 */
const createUnnamedFolderReason = (): Reason => ({
  code: 'argument',
  text: l10n.t('It changes the folder before it runs other commands.'),
});

/**
 * Returns the program name that the rules use: lower case, without an extension such as `.exe`. Windows, for example,
 * treats `NPM.CMD` as `npm`.
 */
export const getProgramName = (word: string): string =>
  word.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/u, '');

/**
 * Returns the reason why a program requires approval for every call, regardless of its arguments. Returns undefined for
 * other programs.
 * @param name As returned by `getProgramName`.
 */
export function findProgramReason(name: string): Reason | undefined {
  return programGroups.find(({ programs }) => programs.has(name))?.createReason();
}

interface ProgramGroup {
  readonly createReason: () => Reason;
  readonly programs: ReadonlySet<string>;
}

const createProgramGroup = (
  code: string,
  createText: () => string,
  programNames: string,
): ProgramGroup => ({
  createReason: () => ({ code, text: createText() }),
  programs: new Set(programNames.split(/\s+/u).filter(Boolean)),
});

const programGroups: readonly ProgramGroup[] = [
  createProgramGroup(
    'wrapper',
    () => l10n.t('It runs another command that can’t be checked.'),
    `env xargs nohup nice ionice setsid stdbuf timeout sudo doas su runuser time command builtin
     exec coproc parallel watch strace ltrace gdb chroot unshare nsenter flock script expect
     busybox toybox ssh-agent dbus-run-session systemd-run start at batch crontab
     docker podman nerdctl kubectl vagrant wsl start-process saps start-job sajb invoke-command icm
     foreach-object foreach where-object runas schtasks rundll32 mshta regsvr32 wscript cscript`,
  ),
  createProgramGroup(
    'shell-state',
    () => l10n.t('It changes variables, which can change what other commands do.'),
    `export declare typeset local readonly unset set shopt enable hash alias unalias trap source .
     eval let read mapfile readarray getopts exit return bind complete disown fg bg jobs ulimit umask
     pushd popd set-alias sal new-alias nal set-variable sv new-variable nv set-location sl
     push-location pop-location import-module ipmo invoke-expression iex add-type
     if then else elif fi for while until do done case esac select function time in [[`,
  ),
  createProgramGroup(
    'interpreter',
    () => l10n.t('It runs another command that can’t be checked.'),
    `awk gawk mawk nawk osascript tclsh lua irb ghci jshell jq yq sqlite3 psql mysql mongo mongosh
     redis-cli vi vim nvim ex ed emacs nano less more most man info busctl gdb lldb m4
     cmd powershell pwsh invoke-item ii`,
  ),
  createProgramGroup(
    'network',
    () => l10n.t('It can reach the network.'),
    `curl wget wget2 aria2c http https xh ping ping6 dig nslookup host getent drill traceroute
     tracepath mtr ssh scp sftp rsync nc ncat netcat socat telnet ftp tftp lftp nmap openssl whois
     rclone aws gcloud az gh glab hub terraform tofu helm ansible ansible-playbook heroku vercel
     netlify flyctl s3cmd gsutil mail sendmail finger irssi w3m lynx links
     invoke-webrequest iwr invoke-restmethod irm test-netconnection tnc test-connection
     resolve-dnsname start-bitstransfer bitsadmin certutil`,
  ),
  createProgramGroup(
    'changes-files',
    () => l10n.t('It can change or remove files.'),
    `rm rmdir unlink mv cp ln dd shred truncate tee install touch mkdir mknod mkfifo mkfs chmod chown
     chgrp chattr setfacl split csplit tar zip unzip gzip gunzip bzip2 xz zstd 7z cpio patch sponge
     rename mount umount del erase rd md ren move copy xcopy robocopy attrib icacls takeown format
     remove-item ri move-item mi copy-item cpi rename-item rni new-item ni set-content sc
     add-content ac clear-content clc out-file tee-object set-item si clear-item cli
     set-itemproperty sp remove-itemproperty rp expand-archive compress-archive set-acl reg`,
  ),
  createProgramGroup(
    'system',
    () => l10n.t('It can change the system or what runs on it.'),
    `kill killall pkill skill shutdown reboot halt poweroff init systemctl service launchctl useradd
     usermod passwd visudo iptables sysctl modprobe insmod loginctl hostnamectl timedatectl
     defaults stop-process spps stop-service spsv start-service sasv restart-service set-service
     restart-computer stop-computer set-executionpolicy net netsh wmic
     code open xdg-open`,
  ),
  createProgramGroup(
    'shows-variables',
    () => l10n.t('It shows variables, which may contain keys.'),
    'printenv ps top htop history get-history get-variable gv get-process gps',
  ),
  createProgramGroup(
    'packages',
    () => l10n.t('It fetches or installs packages, which can run code.'),
    `npx pnpx bunx uvx corepack pip pip3 pipx uv poetry pdm pipenv conda mamba gem bundle composer
     brew apt apt-get aptitude dpkg dnf yum rpm zypper apk pacman snap flatpak port nix nix-env
     nix-shell choco winget scoop install-module install-package nuget cpan cpanm luarocks opam
     cabal stack mix rebar3 sbt bazel buck cmake ninja meson`,
  ),
];
