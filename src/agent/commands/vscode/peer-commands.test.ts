import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDiskRules } from './disk-rules.fixture.ts';
import type { ShellKind } from '../command-line.ts';

vi.mock('vscode', () => import('../../../../test/support/disk-vscode.ts'));

interface PeerAgent {
  readonly shell?: ShellKind;
  /** First words of the commands that the allow rules of the other agent grant. */
  readonly grantedCommands: readonly string[];
  /** Lines that the other agent runs without approval. */
  readonly benignLines: readonly string[];
  /** Lines that the other agent must not run without approval. */
  readonly linesRequiringApproval: readonly string[];
}

/** Command lines from the tests of other agents, with the decisions that those tests expect. */
const peerAgents: Readonly<Record<string, PeerAgent>> = {
  // google-gemini/gemini-cli, packages/core/src/policy/shell-safety*.test.ts
  'gemini-cli': {
    grantedCommands: ['git', 'git log', 'git status', 'echo', 'ls', 'grep', 'cat', 'false'],
    benignLines: [
      ...['git log', 'git log --oneline', 'echo $(git log)', 'git log && echo $(git log)'],
      ...['echo hi && ls', 'echo hi | grep "hi"', 'echo hi & ls', 'echo $(cat $(ls))'],
    ],
    linesRequiringApproval: [
      ...['git logout', 'git log && rm -rf /', 'git log; rm -rf /', 'git log || rm -rf /'],
      ...['git log &&& rm -rf /', 'echo $(rm -rf /)', 'echo `rm -rf /`', 'tee >(rm -rf /)'],
      ...['diff <(git log) <(rm -rf /)', 'git log | rm -rf /', 'git log --format=$(rm -rf /)'],
      ...['git log && echo $(git log | rm -rf /)', 'git log > /tmp/test', 'echo hi > /tmp/test'],
      ...['git log @(Get-Process)', 'git commit -m "msg" && git push'],
      ...['git status && unknown_command', 'unknown_command_1 && another_unknown_command'],
      'known_ask_command_1 && known_ask_command_2',
    ],
  },
  // microsoft/vscode, terminalContrib/chatAgentTools: runInTerminalTool.test.ts, default rules
  'VS Code in Bash': {
    grantedCommands: [
      ...`cd echo ls pwd cat head tail findstr wc tr cut cmp which basename dirname realpath
        readlink stat file du df sleep nl column date find grep rg sed sort tree git`.split(/\s+/u),
      ...[
        'git status',
        'git log',
        'git show',
        'git diff',
        'git ls-files',
        'git grep',
        'git branch',
      ],
    ],
    benignLines: [
      ...['echo abc', 'echo "abc"', "echo 'abc'", 'ls -la', 'pwd', 'cat file.txt'],
      ...['head -n 10 file.txt', 'tail -f log.txt', 'findstr pattern file.txt', 'wc -l file.txt'],
      ...['tr a-z A-Z', 'cut -d: -f1', 'cmp file1 file2', 'which node', 'basename /path/to/file'],
      ...['dirname /path/to/file', 'realpath .', 'readlink symlink', 'stat file.txt'],
      ...['file document.pdf', 'du -sh folder', 'df -h', 'sleep 5', 'cd /home/user'],
      ...['nl -ba path/to/file.txt', 'git status', 'git log --oneline', 'git show HEAD'],
      ...['git diff main', 'git grep "TODO"', 'column data.txt', 'date +%Y-%m-%d'],
      ...['find . -name "*.txt"', 'grep pattern file.txt', 'rg pattern file.txt'],
      ...['rg --json pattern .', 'rg -i --color=never "TODO" src/', 'sed "s/foo/bar/g"'],
      ...['sed -n "1,10p" file.txt', 'sort file.txt', 'tree directory'],
      ...['git status --porcelain', 'echo "hello" && ls -la', 'echo hello world'],
    ],
    linesRequiringApproval: [
      ...['rm README.md', 'rmdir folder', 'del file.txt', 'rd folder', 'erase file.txt'],
      ...['dd if=/dev/zero of=file', 'kill 1234', 'ps aux', 'top', 'taskkill /f /im notepad.exe'],
      ...['taskkill.exe /f /im cmd.exe', 'curl https://example.com', 'chmod 755 file.sh'],
      ...['wget https://example.com/file', 'chown user:group file.txt', "jq '.name' file.json"],
      ...['xargs rm', 'eval "echo hello"', 'column -c 10000 file.txt', 'find . -delete'],
      ...['date --set="2023-01-01"', 'find . -exec rm {} \\;', 'find . -execdir rm {} \\;'],
      ...['find . -fprint output.txt', 'rg --pre cat pattern .'],
      ...['rg --hostname-bin hostname pattern .', 'sed -i "s/foo/bar/g" file.txt'],
      ...['sed -i.bak "s/foo/bar/" file.txt', 'sed -Ibak "s/foo/bar/" file.txt'],
      ...['sed --in-place "s/foo/bar/" file.txt', 'sed -e "s/a/b/" file.txt'],
      ...['sed -f script.sed file.txt', 'sed --expression "s/a/b/" file.txt'],
      ...['sed --file script.sed file.txt', 'sed "s/foo/bar/e" file.txt'],
      ...['sed "s/foo/bar/w output.txt" file.txt', 'sed ";W output.txt" file.txt'],
      ...['sort -o /etc/passwd file.txt', 'sort -S 100G file.txt', 'tree -o output.txt'],
      ...['ls="test" curl https://api.example.com', 'API_KEY=secret curl https://api.example.com'],
      ...['HTTP_PROXY=proxy:8080 wget https://example.com', 'VAR1=value1 VAR2=value2 echo test'],
      ...['A=1 B=2 C=3 ./script.sh', 'echo "hello" && rm file.txt', 'echo "abc" > ../file.txt'],
      ...['git push && echo "done"', 'git', 'echo (abc)', 'foo bar', 'npm install'],
    ],
  },
  // microsoft/vscode, as before; openai/codex, command_safety/windows_safe_commands.rs. Without paths on a drive such
  // as `Split-Path C:\Users`, and without options of Git that run programs: these always require approval here.
  'VS Code and Codex in PowerShell': {
    shell: 'powershell',
    grantedCommands: [
      ...`get-childitem get-date get-random get-location write-host write-output split-path
        join-path start-sleep select-object measure-object compare-object format-table sort-object
        get-content get-item git rg`.split(/\s+/u),
      ...[
        'git status',
        'git log',
        'git show',
        'git diff',
        'git branch',
        'git --no-optional-locks status',
      ],
    ],
    benignLines: [
      ...['Get-ChildItem', 'Get-Date', 'Get-Random', 'Get-Location', 'Write-Host "Hello"'],
      ...['Write-Output "Test"', 'Start-Sleep 2', 'Select-Object Name', 'Measure-Object Length'],
      ...['Format-Table', 'Sort-Object Name', 'Get-ChildItem -Path .', 'git status'],
      ...['Get-Content Cargo.toml', 'Get-Content foo.rs | Select-Object -Skip 200'],
      'rg --files-with-matches foo | Measure-Object | Select-Object -ExpandProperty Count',
      ...['Get-Item foo.rs | Select-Object Length', "Get-Content 'foo bar'"],
      ...['Get-Content "foo bar"', 'git --no-optional-locks status'],
      // Parts are known only when the line runs.
      ...['Compare-Object $a $b', '(Get-Content foo.rs -Raw)'],
    ],
    linesRequiringApproval: [
      ...['Remove-Item file.txt', 'ri file.txt', 'Stop-Process -Id 1234', 'spps notepad'],
      ...['Invoke-RestMethod https://api.example.com', 'Invoke-WebRequest https://example.com'],
      ...['irm https://example.com', 'iwr https://example.com', 'iex "Write-Host test"'],
      ...['Set-ItemProperty file.txt IsReadOnly $true', 'sp file.txt IsReadOnly $true'],
      ...['Set-Acl file.txt $acl', 'Invoke-Expression "Get-Date"', 'rg --pre cat'],
      ...["Set-Content foo.txt 'hello'", 'echo hi > out.txt', 'Get-Content x | Out-File y'],
      ...['Write-Output foo 2> err.txt', '& Remove-Item foo', 'Get-ChildItem; Remove-Item foo'],
      ...["Write-Output (Set-Content foo6.txt 'abc')", 'Write-Host (Remove-Item foo.txt)'],
      ...['Get-Content (New-Item bar.txt)', 'ls @(calc.exe)', "''", 'Get-Content $foo'],
      ...['Write-Output $(Get-Content foo)', 'Write-Output "foo $bar"'],
    ],
  },
  // openai/codex, codex-rs/shell-command/src/command_safety/is_safe_command.rs
  'Codex in Bash': {
    grantedCommands: [
      ...`cat cd cut echo expr false grep head id ls nl paste pwd rev seq stat tail tr true
        uname uniq wc which whoami base64 find rg sed numfmt tac git`.split(/\s+/u),
      ...['git status', 'git log', 'git log -p', 'git show', 'git diff', 'git branch'],
      ...['git --no-optional-locks status', 'git --no-pager branch'],
    ],
    benignLines: [
      ...['ls', 'ls -1', 'git branch', 'git branch --show-current', 'base64', 'git status'],
      ...['sed -n 1,5p file.txt', "sed -n '1,5p' file.txt", 'sed -n 1,5p', 'sed -n 1p -'],
      ...['nl -nrz Cargo.toml', 'find . -name file.txt', "find . -name '*.rs'", 'head -n 10'],
      ...['git --no-optional-locks status', 'git --no-optional-locks status --short --branch'],
      ...['git --no-pager branch --show-current', 'git diff --no-ext-diff', 'git diff -p'],
      ...['git diff --no-textconv', 'git diff --output-indicator-new=X', 'git show -p HEAD'],
      ...['rg Cargo.toml -n', 'rg -ne-z', 'rg -e -z', 'rg -- -z', "rg '-g*.zip' pattern"],
      ...['grep -R "Cargo.toml" -n', 'grep -R "Cargo.toml" -n || true', 'grep -r foo'],
      ...['ls && pwd', "echo 'hi' ; ls", 'ls | wc -l', 'cat file.txt', 'wc -l file.txt'],
      ...['bash -lc ls', "bash -lc 'git status'", "bash -lc 'ls -1'"],
      ...[
        'cat foo.rs',
        'numfmt 1000',
        'tac Cargo.toml',
        'git log -p -1',
        'rg --regexp -z',
        'rg -nZ pattern',
      ],
    ],
    linesRequiringApproval: [
      ...['uniq input.txt output.txt', "sed -n 1p '-ew output.txt'", 'rg -nz pattern'],
      ...['rg -nze pattern', 'git diff --out\\put=result.txt', 'cat *.txt', 'c\\at file.txt'],
      ...['git branch -d feature', 'git branch new-branch', 'git --no-pager branch -d feature'],
      ...['git -C . branch --show-current', 'git checkout log', 'git fetch', 'foo', 'cargo check'],
      ...['git --no-optional-locks checkout status', 'git log --output=/tmp/git-log-out-test -n 1'],
      ...['git diff --output /tmp/git-diff-out-test', 'git show --output=/tmp/test HEAD'],
      ...['git diff --no-ext-diff --ext', 'git diff --no-ext-diff --ext-d', 'git -p log -1'],
      ...['git diff --no-ext-diff --ext-dif', 'git diff --no-ext-diff --ext-diff'],
      ...['git --paginate log -1', 'git --no-optional-locks -C . status', 'rg --search-zip files'],
      ...['git -c core.pager=cat log -n 1', 'git --no-optional-locks -ccore.pager=cat status'],
      ...['git --config-env core.pager=PAGER show HEAD', 'git --git-dir=.evil-git diff HEAD'],
      ...['git --config-env=core.pager=PAGER show HEAD', 'git --git-dir .evil-git diff HEAD'],
      ...['git --no-optional-locks --work-tree . status', 'git --work-tree=. status'],
      ...['git --exec-path .git/helpers show HEAD', 'git --exec-path=.git/helpers show HEAD'],
      ...['git --namespace attacker show HEAD', 'git --super-prefix=attacker/ show HEAD'],
      ...['sed -n xp file.txt', "find . -name file.txt -exec rm {} ';'", 'rg -z files'],
      ...["find . -name '*.py' -execdir python3 {} ';'", "find . -name file.txt -ok rm {} ';'"],
      ...["find . -name '*.py' -okdir python3 {} ';'", 'find . -delete -name file.txt'],
      ...['find . -fls /etc/passwd', 'find . -fprint /etc/passwd', 'find . -fprint0 /etc/passwd'],
      ...["find . -fprintf /root/suid.txt '%#m %u %p\\n'", 'base64 -o out.bin', 'base64 -ob64.txt'],
      ...['base64 --output out.bin', 'base64 --output=out.bin', 'rg --pre pwned files'],
      ...['rg --pre=pwned files', 'rg --hostname-bin pwned files', 'rg --hostname-bin=pwned files'],
      ...['find . -name file.txt -delete', 'ls && rm -rf /', '(ls)', 'ls || (pwd && echo hi)'],
      ...['ls > out.txt', 'bash -lc ls -1', `bash -lc "'ls -1'"`, "bash -lc 'rm x'"],
    ],
  },
};

let parent: string;
let root: string;

beforeAll(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'peer-commands-')));
  root = join(parent, 'app');
  for (const folder of ['src', 'folder', 'directory', 'path/to', 'files'])
    await mkdir(join(root, folder), { recursive: true });
  const names =
    `file.txt log.txt file1 file2 document.pdf data.txt file.sh file.json input.txt foo.rs
    path/to/file.txt src/a.ts`.split(/\s+/u);
  for (const name of [...names, 'foo bar']) await writeFile(join(root, name), 'text\n');
  await symlink('file.txt', join(root, 'symlink'));
  const identityArgs = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test'];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-qm', 'First'],
  ])
    execFileSync('git', [...identityArgs, ...args], { cwd: root, stdio: 'ignore' });
});

afterAll(() => rm(parent, { recursive: true, force: true }));

/** Returns the lines that the rules allow without approval. */
async function filterAllowedLines(
  lines: readonly string[],
  options: Partial<Parameters<typeof createDiskRules>[0]>,
): Promise<readonly string[]> {
  const evaluateLine = createDiskRules({ root, ...options });
  const allowedLines: string[] = [];
  for (const line of lines) {
    // The line reads all files of its folder, which must not be folders.
    const cwd = line.includes('$(cat $(ls))') ? 'src' : '.';
    if ((await evaluateLine(line, { cwd })).decision === 'allow') allowedLines.push(line);
  }
  return allowedLines;
}

describe.each(Object.entries(peerAgents))(
  'for the command lines from the tests of %s',
  (_, peer) => {
    const { benignLines, linesRequiringApproval, grantedCommands, shell = 'bash' } = peer;

    test('the command gate allows at least 70 % of the benign lines without approval if read-only commands are allowed', async () => {
      const allowedLines = await filterAllowedLines(benignLines, { shell });
      expect(benignLines.filter((line) => !allowedLines.includes(line)).length).toBeLessThanOrEqual(
        benignLines.length * 0.3,
      );
    });

    test('the command gate allows at least 90 % of the benign lines without approval if their programs are also granted', async () => {
      const allowedLines = await filterAllowedLines(benignLines, { shell, grantedCommands });
      const notAllowedLines = benignLines.filter((line) => !allowedLines.includes(line));
      expect(notAllowedLines.length, notAllowedLines.join('\n')).toBeLessThanOrEqual(
        benignLines.length * 0.1,
      );
    });

    test('the command gate allows no dangerous line without approval, regardless of grants', async () => {
      for (const isReadOnlyAllowed of [false, true]) {
        const allowedLines = await filterAllowedLines(linesRequiringApproval, {
          shell,
          grantedCommands,
          isReadOnlyAllowed,
        });
        expect(allowedLines).toEqual([]);
      }
    });
  },
);

test.each(['echo hi && ls', 'false || ls', 'echo hi; ls', 'echo hi | grep "hi"', 'echo hi & ls'])(
  'a grant that covers only the first program of a line does not allow "%s"',
  async (line) => {
    const options = { grantedCommands: ['echo', 'false'], isReadOnlyAllowed: false };
    expect(await filterAllowedLines([line], options)).toEqual([]);
  },
);
