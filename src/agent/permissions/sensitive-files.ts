import { foldPath } from './path-names.ts';
import type { Reason } from './verdict.ts';

/**
 * Why changing a path may have effects beyond its text: something reads it later and runs it, or is steered by it.
 * No setting and no earlier answer makes these changes silent. Judged by name alone, so it holds as well for what does
 * not exist yet; for a folder it covers everything below, and the folder itself.
 * @param path With slashes of either kind, in any case.
 */
export function sensitiveReason(path: string): Reason | undefined {
  const folded = foldPath(path);
  const names = folded.split('/').filter((name) => name !== '' && name !== '.');
  const last = names.at(-1) ?? '';
  const group = groups.find(
    ({ folders, files, patterns }) =>
      names.some((name) => folders.has(name)) ||
      files.has(last) ||
      patterns.some((pattern) => pattern.test(names.join('/'))),
  );
  return group && { code: 'sensitive', text: group.text };
}

interface Group {
  readonly text: string;
  readonly folders: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** Against the folded path without empty names. */
  readonly patterns: readonly RegExp[];
}

/** All names are folded. Words are separated by spaces. */
const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u));

const groups: readonly Group[] = [
  {
    text: 'Version control runs programs that this place names.',
    folders: setOf('.git .hg .svn .jj .husky .githooks .lefthook'),
    // A folder with a file HEAD passes for a repository, whose settings name programs.
    files: setOf(
      `.gitattributes .gitmodules .gitconfig head .pre-commit-config.yaml .pre-commit-config.yml
       .lintstagedrc lefthook.yml lefthook.yaml lefthook-local.yml`,
    ),
    patterns: [
      /(?:^|\/)hooks\/(?:(?:pre|post|prepare|commit|applypatch|update|fsmonitor|push|proc|reference|sendemail|p4)-?[a-z-]*)$/u,
    ],
  },
  {
    text: 'Editors act on this file as soon as it changes.',
    folders: setOf('.vscode .idea .vs .fleet .zed .devcontainer .nova .theia .vscode-test'),
    files: setOf(
      `.devcontainer.json .exrc .nvimrc .nvim.lua .vimrc .dir-locals.el .gdbinit .lldbinit .clangd
       .solargraph.yml .rubocop.yml .pylintrc pylintrc mypy.ini .mypy.ini`,
    ),
    patterns: [
      /\.(?:code-workspace|code-profile|sublime-project)$/u,
      /(?:^|\/)ruby_lsp\/(?:.+\/)?addon/u,
      /(?:^|\/)\.?(?:eslintrc|prettierrc|stylelintrc)(?:\.[a-z]+)?$/u,
      /(?:^|\/)(?:eslint|prettier|stylelint|tailwind)\.config\.[a-z]+$/u,
    ],
  },
  {
    text: 'Assistants take this file for instructions or settings.',
    folders: setOf(
      `.claude .cursor .roo .continue .codex .gemini .windsurf .cline .clinerules .kilocode .kiro
       .amazonq .augment .trae .junie .aider .agents .agent .goose .opencode`,
    ),
    files: setOf(
      `agents.md agents.override.md agent.md claude.md claude.local.md gemini.md skill.md
       copilot-instructions.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .roomcp
       .goosehints .cursorignore .aider.conf.yml .mcp.json mcp.json`,
    ),
    patterns: [/\.(?:instructions|prompt|chatmode|agent)\.md$/u],
  },
  {
    text: 'Build servers run what this file says.',
    folders: setOf('.github .gitlab .circleci .buildkite .woodpecker .forgejo .gitea .azuredevops'),
    files: setOf(
      `.gitlab-ci.yml .gitlab-ci.yaml .travis.yml .drone.yml .woodpecker.yml .appveyor.yml
       appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile .cirrus.yml`,
    ),
    patterns: [],
  },
  {
    text: 'Package managers and build tools run what this file names.',
    folders: setOf('.yarn .mvn .cargo .bundle .gradle .bazel .nx .moon .direnv .docker'),
    files: setOf(
      `package.json cargo.toml build.rs server.xml web.config pyproject.toml setup.py setup.cfg
       tox.ini noxfile.py conftest.py sitecustomize.py usercustomize.py
       .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.js .pnpmfile.mjs pnpm-workspace.yaml
       npm-shrinkwrap.json bun.lockb bunfig.toml .bunfig.toml deno.json deno.jsonc pip.conf
       gradle.properties gradle-wrapper.properties gradle-wrapper.jar gradlew gradlew.bat mvnw mvnw.cmd
       makefile gnumakefile bsdmakefile justfile .justfile rakefile taskfile.yml taskfile.yaml
       cmakelists.txt cmakepresets.json cmakeuserpresets.json gemfile podfile
       composer.json .envrc mise.toml .mise.toml .tool-versions flake.nix shell.nix default.nix
       .bazelrc nuget.config global.json .terraformrc .dockercfg`,
    ),
    patterns: [
      /\.(?:csproj|fsproj|vbproj|vcxproj|sqlproj|esproj|proj|targets|props|sln|slnx)$/u,
      /\.(?:gradle|gradle\.kts|mk|gemspec|podspec|pth|lock)$/u,
      /-lock\.(?:yaml|yml|json)$/u,
      /(?:^|\/)\.pnpmfile\.[^/]*$/u,
      /(?:^|\/)node_modules\/\.bin(?:\/|$)/u,
    ],
  },
  {
    text: 'A shell, a login or the desktop reads this file by itself.',
    folders: setOf('.ssh .gnupg .aws .azure .kube'),
    files: setOf(
      `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
       .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .netrc _netrc
       .pypirc .pythonrc.py .curlrc .wgetrc .screenrc .tmux.conf profile.ps1
       desktop.ini autorun.inf authorized_keys crontab`,
    ),
    patterns: [
      /(?:^|\/)\.env(?:\.[^/]*)?$/u,
      /\.(?:lnk|url|scf|desktop|library-ms|searchconnector-ms|ps1xml)$/u,
      /_profile\.ps1$/u,
    ],
  },
];
