import { describe, expect, test } from 'vitest';
import {
  createGrantsForPrograms,
  checkCommandLine,
  noGrants,
  getCommandPrefixes,
  readOnlyGrants,
} from './command-gate.fixture.ts';

const grantsForAll = createGrantsForPrograms(
  `git ls npm node cd rm echo sort find invoke-expression iex invoke-webrequest iwr irm
   invoke-restmethod remove-item ri rd set-content set-itemproperty sp stop-process spps powershell
   pwsh cmd start-process get-content gc cat tsc curl import-module add-type set-alias new-item
   out-file start saps foreach-object where-object rename-item clear-content import-csv
   write-output`.replaceAll(/\s+/gu, ' '),
);

describe('the built-in list of reading commands in PowerShell', () => {
  test.each([
    'Get-ChildItem -Recurse src',
    'get-childitem',
    'Get-Location',
    'git status',
    'git log --oneline -5',
    'git diff --stat HEAD~1',
    'Get-Item src',
    'get-item -Path src',
    'dir',
    'LS src',
    'Get-Random -Maximum 6',
    'Start-Sleep -Seconds 2',
    'DIR src',
    'Ls',
    'Get-Content -Path a.txt -TotalCount 5',
    'git status; git log',
    'git status && git log',
    'git status 2>&1 | Select-Object -Last 20',
    'git status 2> $null',
    'Get-ChildItem src *>$null',
    "Get-ChildItem -Path 'src' | Measure-Object",
    'Get-ChildItem -Path:src',
    'Write-Output "two words"',
  ])('allows %s', async (line) => {
    expect(await checkCommandLine(line, readOnlyGrants, 'powershell')).toMatchObject({
      decision: 'allow',
    });
  });
});

describe('PowerShell lines with reading cmdlets', () => {
  test.each([
    'Get-ChildItem -Recurse -Force | Get-Content',
    'ls -Force | cat',
    'Get-ChildItem -Recurse -File | Select-String KEY',
    'Get-Content list.txt | Get-Item | Get-Content',
    'Get-Content list.txt | Get-ChildItem',
    'Get-Item . | Select-Object -ExpandProperty Parent | Get-ChildItem',
    'Write-Output x | Get-Content',
    'Get-Content',
    'Get-ChildItem -LiteralPath:Microsoft.PowerShell.Core\\Environment::',
    'Get-ChildItem Microsoft.PowerShell.Core\\Environment::',
    "Get-ChildItem '-Path:Env:'",
  ])('require approval if the input files cannot be determined: %s', async (line) => {
    expect((await checkCommandLine(line, readOnlyGrants, 'powershell')).decision).toBe('ask');
  });

  test.each(['git log | Select-String fix', 'Get-Content a.txt | Select-String fix'])(
    'run without approval if the input is text: %s',
    async (line) => {
      expect((await checkCommandLine(line, readOnlyGrants, 'powershell')).decision).toBe('allow');
    },
  );
});

describe('a PowerShell line without grants', () => {
  test.each(['Get-ChildItem', 'git status', 'npm test'])('requires approval: %s', async (line) => {
    expect((await checkCommandLine(line, noGrants, 'powershell')).decision).toBe('ask');
  });
});

describe('a grant for a PowerShell program', () => {
  test.each([
    ['npm run test:unit', 'npm'],
    ['NPM test', 'npm'],
    ['node test\\check.js', 'node'],
    ['Get-Content -Path "a.txt" -Tail 5', 'get-content'],
    ['npm.cmd test', 'npm.cmd'],
  ])('allows %s regardless of letter case', async (line, programs) => {
    const { decision } = await checkCommandLine(
      line,
      createGrantsForPrograms(programs),
      'powershell',
    );
    expect(decision).toBe('allow');
  });

  test('does not cover a line with arguments after `--`', async () => {
    const { decision } = await checkCommandLine(
      'npm test -- --fast',
      createGrantsForPrograms('npm'),
      'powershell',
    );
    expect(decision).toBe('ask');
  });
});

describe('PowerShell lines that no grant for a program covers', () => {
  test.each([
    ['substitution', 'echo $(rm x)'],
    ['substitution', 'echo (rm x)'],
    ['expansion', 'ls $env:X'],
    ['expansion', 'echo "x $y"'],
    ['expansion', 'echo "`e"'],
    ['expansion', 'ls *.ts'],
    ['expansion', 'ls @args'],
    ['expansion', 'ls @(1)'],
    ['expansion', 'git log --%  x'],
    ['expansion', 'r`m x'],
    ['expansion', 'ls a`\n b'],
    ['expansion', 'ls <f'],
    ['expansion', 'ls 2>f'],
    ['expansion', '& git log'],
    ['expansion', '& "rm" x'],
    ['expansion', '. ./x.ps1'],
    ['program', '.\\x.ps1'],
    ['compound', 'ls {rm x}'],
    ['compound', 'ls | % { rm $_ }'],
    ['compound', 'if ($a) { ls }'],
    ['compound', 'function f { ls }'],
    ['compound', '{ ls }'],
    ['compound', '(ls)'],
    ['compound', '[IO.File]::Delete("x")'],
    ['compound', '"text"'],
    ['compound', '1+2'],
    ['compound', '@{a=1}'],
    ['compound', 'try { ls } catch { ls }'],
    ['compound', 'exit 1'],
    ['environment', '$x = 1'],
    ['environment', '$env:PATH = "x"'],
    ['redirect', 'ls > f'],
    ['redirect', 'ls >> f'],
    ['redirect', 'ls > $nu'],
    ['syntax', 'ls 2> & 1'],
    ['expansion', 'ls 2>$nul'],
    ['syntax', 'git log -- a.ts'],
    ['syntax', 'ls a,b'],
    ['syntax', 'ls &'],
    ['syntax', 'ls "a'],
    ['syntax', 'ls “a”'],
    ['syntax', 'ls –Recurse'],
    ['changes-files', 'Remove-Item x'],
    ['changes-files', 'remove-item x'],
    ['changes-files', 'REMOVE-ITEM x'],
    ['changes-files', 'ri x'],
    ['changes-files', 'rd x'],
    ['changes-files', 'Set-Content x y'],
    ['changes-files', 'Set-ItemProperty x y z'],
    ['changes-files', 'sp x y z'],
    ['changes-files', 'New-Item x'],
    ['changes-files', 'ls | Out-File x'],
    ['changes-files', 'Rename-Item a b'],
    ['shell-state', 'iex "rm x"'],
    ['shell-state', 'Invoke-Expression "rm x"'],
    ['shell-state', 'Import-Module x'],
    ['shell-state', 'Set-Alias ls rm'],
    ['shell-state', 'Set-Location x'],
    ['network', 'iwr x'],
    ['network', 'irm x'],
    ['network', 'Invoke-WebRequest x'],
    ['network', 'Invoke-RestMethod x'],
    ['network', 'curl.exe x'],
    ['wrapper', 'Start-Process x'],
    ['argument', 'Start-Sleep 86400'],
    ['argument', 'Get-Random -InputObject x'],
    ['syntax', 'ls | ForEach-Object Delete'],
    ['system', 'Stop-Process -Id 1'],
    ['system', 'spps 1'],
    ['interpreter', 'powershell -EncodedCommand AAAA'],
    ['interpreter', 'pwsh -Command ls'],
    ['interpreter', 'cmd /c dir'],
    ['unknown', 'npm.cmd install x'],
    ['git', 'git -c core.fsmonitor=x status'],
    ['outside-workspace', 'Get-Content C:\\secrets.txt'],
    ['outside-workspace', 'Get-Content ..\\x'],
    ['outside-workspace', 'Get-ChildItem env:'],
    ['outside-workspace', 'Get-ChildItem Environment::'],
    ['outside-workspace', 'dir Certificate::'],
    ['outside-workspace', 'Get-Content Temp:x'],
    ['outside-workspace', 'Get-Content -Path:Alias:x'],
    ['outside-workspace', 'Get-Content Microsoft.PowerShell.Core\\FileSystem::C:\\x'],
    ['outside-workspace', 'Get-Content D:x'],
    ['outside-workspace', 'node D:x.js'],
    ['outside-workspace', 'npm test a=D:x'],
    ['expansion', 'git commit -m \'a "b"\''],
    ['expansion', "git commit -m ''"],
    ['expansion', "npm test 'a&b'"],
    ['expansion', "npm test 'a b\\'"],
    ['expansion', "npm test '%PATH%'"],
    ['expansion', "npm test 'a^b'"],
    ['expansion', 'npm test "a|b"'],
    ['expansion', "npm test 'a<b'"],
    ['expansion', "npm test 'a>b'"],
    ['expansion', 'npm test "it\'s"'],
    ['expansion', "git log '--format=%h'"],
    ['argument', "Get-Content '.e*'"],
    ['argument', "ls 'link/*'"],
    ['argument', 'Get-Content -Wait a.txt'],
    ['argument', 'Get-ChildItem -OutVariable x'],
    ['outside-workspace', 'Get-Content Env:\\KEY'],
    ['outside-workspace', 'Get-Content \\\\evil\\share'],
    ['secret-file', 'Get-Content .env'],
    ['secret-file', 'Get-Content config\\.env'],
    ['directory', 'cd src; npm test'],
    ['directory', 'CD src; npm test'],
  ])('require approval for the reason "%s": %s', async (code, line) => {
    const { decision, reasons, isRememberable } = await checkCommandLine(
      line,
      grantsForAll,
      'powershell',
    );
    expect(reasons.map((reason) => reason.code)).toContain(code);
    expect({ decision, isRememberable }).toEqual({ decision: 'ask', isRememberable: false });
  });
});

test.each([
  ['git add -n', 'git add -n a.txt', 'git add -N a.txt'],
  ['git grep -c', 'git grep -c needle', 'git grep -C 3 needle'],
  ['npm test', 'NPM test', 'npm run build'],
  ['Get-Item', 'get-item a.txt', 'get-content a.txt'],
])(
  'a grant for %s in PowerShell covers %s, but not %s',
  async (prefix, coveredLine, uncoveredLine) => {
    const grants = { prefixes: [prefix.split(' ')], isReadOnlyAllowed: false };
    expect((await checkCommandLine(coveredLine, grants, 'powershell')).decision).toBe('allow');
    expect((await checkCommandLine(uncoveredLine, grants, 'powershell')).decision).toBe('ask');
  },
);

test('listCommandPrefixes returns the first words of a PowerShell command', async () => {
  expect(await getCommandPrefixes('npm test; git log', 'powershell')).toEqual([
    ['npm', 'test'],
    ['git', 'log'],
  ]);
  expect(await getCommandPrefixes('NPM.cmd test -x', 'powershell')).toBeUndefined();
  expect(await getCommandPrefixes('npm.cmd test', 'powershell')).toEqual([['npm.cmd', 'test']]);
  expect(await getCommandPrefixes('Remove-Item x', 'powershell')).toBeUndefined();
});
