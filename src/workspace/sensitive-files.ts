import * as l10n from '@vscode/l10n';
import { foldPath } from '../base/fold-path.ts';
import type { Reason } from './verdict.ts';

/**
 * Returns the reason why a change of a file is dangerous: a program runs the file, or reads its configuration from the
 * file. Such a change always requires confirmation, regardless of settings and earlier approvals. Returns undefined for
 * other files. Checks only the path, because the file may not exist yet.
 * @param path Path with slashes of either kind, in any letter case.
 */
export function findSensitiveReason(path: string): Reason | undefined {
  const foldedPath = foldPath(path);
  const normalizedPath = foldedPath
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/')
    .replace(inertGitHubFolderPattern, '$1');
  const names = normalizedPath.split('/');
  const lastName = names.at(-1) ?? '';
  const group = sensitiveFileGroups.find(
    ({ folders, files, patterns }) =>
      names.some((name) => folders.has(name)) ||
      files.has(lastName) ||
      patterns.some((pattern) => pattern.test(normalizedPath)),
  );
  return group && { code: 'sensitive', text: group.formatReason() };
}

/**
 * Matches the `.github` folder in the path of a file that GitHub never executes, such as an issue template. The folder
 * name is removed from such a path before the check. All other files in the folder are sensitive.
 */
const inertGitHubFolderPattern =
  /(^|\/)\.github\/(?=(?:issue_template|pull_request_template)\/[^/]+\.md$|pull_request_template\.md$|codeowners$|funding\.yml$)/u;

interface SensitiveFileGroup {
  readonly formatReason: () => string;
  readonly folders: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** Patterns for the normalized path, which is case-folded and has no empty segments. */
  readonly patterns: readonly RegExp[];
}

/** Creates a set from names separated by white space. The names must already be case-folded. */
const createNameSet = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/u));

/**
 * Groups of sensitive files. They include the files that VS Code excludes from `chat.tools.edits.autoApprove`, the
 * build files of GitHub Linguist (`languages.yml`), and the instruction and settings files of the assistants that ruler
 * (`intellectronica/ruler`) supports. They exclude general names such as `config.toml`.
 */
const sensitiveFileGroups: readonly SensitiveFileGroup[] = [
  {
    formatReason: () => l10n.t('Other programs run commands from this path.'),
    folders: createNameSet('.git .hg .svn .jj .husky .githooks .lefthook'),
    // Git treats a folder with a HEAD file as a repository, and repository settings can name programs.
    files: createNameSet(
      `.gitattributes .gitmodules .gitconfig head .pre-commit-config.yaml .pre-commit-config.yml
       .lintstagedrc simple-git-hooks.json .simple-git-hooks.json prek.toml .overcommit.yml
       .gitlint .commitlintrc`,
    ),
    patterns: [
      /(?:^|\/)\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$/u,
      /(?:^|\/)hooks\/(?:(?:pre|post|prepare|commit|applypatch|update|fsmonitor|push|proc|reference|sendemail|p4)-?[a-z-]*)$/u,
    ],
  },
  {
    formatReason: () => l10n.t('This file can configure a tool.'),
    folders: createNameSet(
      `.vscode .idea .vs .fleet .zed .devcontainer .nova .theia .vscode-test .settings .run
       nbproject .helix .idx .ropeproject .replit.d .bsp .metals .vim .lsp .clj-kondo`,
    ),
    files: createNameSet(
      `.devcontainer.json .exrc .nvimrc .vimrc .dir-locals.el .gdbinit .lldbinit .clangd .clang-tidy
       compile_commands.json compile_flags.txt .solargraph.yml .rubocop.yml hie.yaml omnisharp.json
       .omnisharp.json .factorypath .merlin .ocamlformat .gitpod.yml .gitpod.dockerfile .replit
       replit.nix .dir-locals-2.el session.vim .erlang startup.m pyrightconfig.json .lvimrc .vimspector.json .projections.json .ycm_extra_conf.py
       devcontainer.json devfile.yaml coc-settings.json buildserver.json zls.json erlang_ls.config rust-project.json
       rust-analyzer.toml vimrc gvimrc nvimrc _vimrc _emacs kakrc project.ede cask eask startup.jl user.clj
       launchsettings.json analysis_options.yaml project.godot
       launch.vs.json tasks.vs.json cppproperties.json cmakesettings.json psscriptanalyzersettings.psd1
       _coqproject _rocqproject local.properties`,
    ),
    patterns: [
      /\.(?:code-workspace|code-profile|sublime-project|workspace|pbxproj|tt|ttinclude|xcconfig|uproject|uplugin|gdextension|iml|ipr|iws|launch|kdev4)$/u,
      // Unity runs the C# files of `Editor` folders in its editor.
      /(?:^|\/)assets\/(?:.+\/)?editor\/.+\.cs$/u,
      /-gdb\.(?:py|gdb|scm)$/u,
      /\.(?:pro|txt)\.user$/u,
      /(?:^|\/)ruby_lsp\/(?:.+\/)?addon/u,
      /(?:^|\/)\.?(?:eslintrc|prettierrc|stylelintrc)(?:\.[a-z]+)?$/u,
      /(?:^|\/)(?:eslint|prettier|stylelint|tailwind)\.config\.[a-z]+$/u,
    ],
  },
  {
    formatReason: () => l10n.t('Assistants take this file for instructions or settings.'),
    folders: createNameSet(
      `.claude .cursor .roo .continue .codex .gemini .windsurf .cline .clinerules .kilocode .kiro
       .amazonq .augment .trae .junie .aider .agents .agent .goose .opencode .qwen .qodo .tabnine
       .mcp .amp .pi .iflow .codebuddy .rovodev .kilo .warp .lingma .pearai .void .grok .vibe .forge
       .codeium .cody .factory .zencoder .crush .openhands .rules .ruler .copilot .claude-plugin
       .aiassistant .devin .antigravity .qoder .comate .serena .specify .taskmaster .sourcegraph .bolt .refact
       .tabby .blackbox .kode .pochi .mux .commandcode .neovate memory-bank`,
    ),
    files: createNameSet(
      `agents.md agents.override.md agent.md claude.md claude.local.md gemini.md skill.md
       copilot-instructions.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .roomcp
       .goosehints .cursorignore .aider.conf.yml .mcp.json mcp.json .claude.json opencode.json
       opencode.jsonc qwen.md crush.md crush.json .crush.json warp.md replit.md
       codex.md jules.md .builderrules .kilocodemodes .kilocoderules .rules iflow.md codebuddy.md
       grok.md .augment-guidelines firebender.json mcp_config.json .coderabbit.yaml .coderabbit.yml
       .aiderignore .aider.model.settings.yml .continuerc.json .windsurfignore gpt.md
       .openhands_instructions amazonq.md airules.md ai_rules.md qoder.md kimi.md devin.md
       gptme.toml .pr_agent.toml greptile.json sweep.yaml ellipsis.yaml .sourcery.yaml claude_desktop_config.json
       gemini-extension.json qwen-extension.json codebuff.json smithery.yaml kilo.json kilo.jsonc rulesync.jsonc
       ai-rulez.yaml ai_rulez.yaml apm.yml pr_compliance_checklist.yaml soul.md heartbeat.md`,
    ),
    patterns: [
      /(?:^|\/)\.[a-z]*rules$/u,
      /\.(?:instructions|prompt|chatmode|agent)\.md$/u,
      /(?:^|\/)(?:agents?|claude|gemini|crush|opencode|codex|cursor|copilot|windsurf|cline|qwen)(?:\.[a-z]+)?\.md$/u,
      // Assistants read files of these names only in the root folder. In other folders, these names are common for ordinary
      // documents.
      /^(?:conventions|knowledge|best_practices)\.md$/u,
      /\.knowledge\.md$/u,
      /(?:^|\/)(?:[^/]+[._-])?mcp[._-](?:servers?|config|settings)\.json$/u,
      /(?:^|\/)hooks\/hooks\.json$/u,
      // Lists of files that assistants must not read.
      /(?:^|\/)\.(?:ai|cline|roo|gemini|codeium|cursor|cursorindexing|augment|kilocode|qwen|crush|trae|junie|tabnine|continue|copilot|agent)(?:ignore|exclude)$/u,
    ],
  },
  {
    formatReason: () => l10n.t('Other programs run commands from this path.'),
    folders: createNameSet(
      '.github .gitlab .circleci .buildkite .woodpecker .forgejo .gitea .azuredevops ci_scripts bamboo-specs zuul.d',
    ),
    files: createNameSet(
      `.gitlab-ci.yml .gitlab-ci.yaml .travis.yml .drone.yml .woodpecker.yml .appveyor.yml
       appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile .cirrus.yml .semaphore.yml
       codemagic.yaml netlify.toml vercel.json wercker.yml .scrutinizer.yml cloudbuild.yaml
       cloudbuild.yml buildspec.yml render.yaml fly.toml .vsts-ci.yml
       bitrise.yml codeship-steps.yml codeship-services.yml screwdriver.yaml shippable.yml dagger.json renovate.json
       renovate.json5 amplify.yml firebase.json heroku.yml nixpacks.toml railway.json railway.toml captain-definition
       appspec.yml azure.yaml atlantis.yaml codefresh.yml buddy.yml zuul.yaml circle.yml`,
    ),
    patterns: [/(?:^|\/)(?:azure-pipelines|cloudbuild|buildspec)[^/]*\.ya?ml$/u],
  },
  {
    formatReason: () => l10n.t('Other programs run commands from this path.'),
    folders: createNameSet(
      'node_modules .yarn .venv venv site-packages dist-packages __pypackages__ __pycache__',
    ),
    files: createNameSet('pyvenv.cfg sitecustomize.py usercustomize.py'),
    patterns: [
      /(?:^|\/)env\/(?:bin|lib|lib64|scripts)(?:\/|$)/u,
      /(?:^|\/)vendor\/bin(?:\/|$)/u,
      // Python loads the plugins that this file names.
      /\.(?:egg|dist)-info\//u,
    ],
  },
  {
    formatReason: () => l10n.t('Other programs run commands from this path.'),
    folders: createNameSet(
      '.mvn .cargo .bundle .gradle .bazel .nx .moon .direnv .docker buildsrc build-logic magefiles mise-tasks tuist',
    ),
    files: createNameSet(
      `package.json package.json5 package.yaml npm-shrinkwrap.json pnpm-workspace.yaml bun.lockb
       bunfig.toml .bunfig.toml deno.json deno.jsonc angular.json nx.json project.json turbo.json
       lerna.json rush.json composer.json phpunit.xml phpunit.xml.dist phpstan.neon phpstan.neon.dist
       pyproject.toml setup.py setup.cfg tox.ini pytest.ini noxfile.py conftest.py pip.conf
       cargo.toml build.rs rust-toolchain rust-toolchain.toml clippy.toml .clippy.toml go.mod go.work package.swift build.zig
       build.zig.zon mix.exs pom.xml gradle.properties gradle-wrapper.properties gradle-wrapper.jar
       gradlew gradlew.bat mvnw mvnw.cmd configure configure.ac configure.in autogen.sh makefile.am
       makefile.in cmakelists.txt cmakepresets.json cmakeuserpresets.json meson.build .envrc
       mise.toml .mise.toml .tool-versions flake.nix shell.nix default.nix .bazelrc nuget.config
       global.json .terraformrc .dockercfg server.xml web.config config.ru nodemon.json babel.config.json
       psalm.xml psalm.xml.dist phpcs.xml phpcs.xml.dist .phpcs.xml .rspec .rprofile .renviron
       procfile.dev wrangler.toml wrangler.json wrangler.jsonc pixi.toml hatch.toml
       .php-cs-fixer.php rector.php deptrac.yaml infection.json infection.json5 stack.yaml
       fabfile.py dodo.py sconstruct sconscript wscript build.sc build.mill
       bb.edn shadow-cljs.edn devenv.nix devbox.json ansible.cfg .bazelversion nest-cli.json
       cabal.project dune-project rebar.config project.clj deps.edn build.boot
       apkbuild pkgbuild ant.xml build.xml ivy.xml .htaccess httpd.conf apache2.conf .user.ini php.ini cabal.config
       cabal.project.local setup.hs buildozer.spec api-extractor.json nextflow.config nim.cfg config.nims
       meson_options.txt meson.options deps appraisals singularity android.bp build buck targets workspace workspace.bzlmod
       kbuild kconfig build.ninja packages.config xmake.lua premake4.lua premake5.lua turbo.jsonc conanfile.py
       conanfile.txt vcpkg.json platformio.ini toxfile.py hatch_build.py pavement.py invoke.yaml invoke.json cross.toml
       trunk.toml bacon.toml air.toml bleep.yaml project.scala build.properties jbang-catalog.json
       dotnet-tools.json paket.dependencies build.fsx project.swift workspace.swift pubspec.yaml
       pubspec_overrides.yaml build.yaml melos.yaml ecs.php castor.php codeception.yml behat.yml grumphp.yml
       captainhook.json rebar.config.script dune dune-workspace profiles.clj build.jl build.pl dist.ini shard.yml
       dub.json dub.sdl gleam.toml rescript.json bsconfig.json alire.toml fpm.toml uv.toml ember-cli-build.js
       gatsby-config.js gatsby-node.js gatsby-ssr.js cdk.json cdktf.json pulumi.yaml devspace.yaml
       hk.pkl dprint.json wallaby.js latexmkrc config.worktree
       lakefile.lean lakefile.toml lean-toolchain book.toml _quarto.yml treefmt.toml mkdocs.yml mkdocs.yaml config-overrides.js jasmine.json
       typedoc.json typedoc.jsonc codegen.yml codegen.yaml skaffold.yaml skaffold.yml pants.toml gems.rb gems.locked
       pnpmfile.js import_map.json openapitools.json truffle-config.js foundry.toml anchor.toml scarb.toml tauri.toml
       wails.json moon.yml garden.yml okteto.yml terragrunt.hcl kitchen.yml testem.json testem.yml cypress.json
       poetry.toml pdm.toml uwsgi.ini supervisord.conf modd.conf sqlc.yaml sqlc.yml sqlc.json goreleaser.yml
       goreleaser.yaml release.toml config.guess config.sub acinclude.m4 aclocal.m4 vcpkg-configuration.json jamroot
       west.yml esy.json myocamlbuild.ml setup.lhs vm.args tests.edn build.clj nbb.edn user.cljc data_readers.clj
       data_readers.cljc guix.scm manifest.scm rokit.toml aftman.toml dart_test.yaml deploy.php wp-cli.yml
       rprofile.site dvc.yaml mlproject prefect.yaml tusk.yml mprocs.yaml devenv.yaml aqua.yaml hermit.hcl pkgx.yaml
       tectonic.toml promptfooconfig.yaml langgraph.json ormconfig.js ormconfig.ts app.config workspace.json
       brownie-config.yaml ape-config.yaml jsdoc.json redwood.toml schema.prisma`,
    ),
    patterns: [
      /\.(?:[a-z]*proj(?:\.user)?|xcscheme|targets|props|sln|slnx|runsettings|testsettings|pubxml|ruleset|rsp)$/u,
      /(?:^|\/)(?:tsconfig|jsconfig)[^/]*\.json$/u,
      /(?:^|\/)directory\.(?:build|packages)\.[a-z]+$/u,
      /\.(?:gradle|gradle\.kts|sbt|mk|cmake|bazel|bzl|gemspec|podspec|pth|lock|gni?|ninja|nuspec|cake|pri|qbs|cabal|opam|rockspec|nix|hxml|nims|nimble|gpr|neon|mill|projitems|overridetasks|slnf|mak|tup|jam|just|rake|thor|smk|bnd|bndrun|versions\.toml)$/u,
      /[.-]lock\.(?:yaml|yml|json)$/u,
      // Invoke loads `tasks.py` in the root folder. qmake loads the project file that has the name of its folder.
      /^tasks\.py$/u,
      /^(?!proguard|[^/]*rules)[^/]+\.pro$/u,
      /(?:^|\/)([^/]+)\/\1\.pro$/u,
      // Matches the build definition of sbt in `project` folders, but not source packages named `project`.
      /^(?:(?!src\/)[^/]+\/)*project\/[^/]+\.scala$/u,
      /(?:^|\/)(?:(?:docs?|documentation|source)\/)conf\.py$|^conf\.py$/u,
      /^codegen\.[cm]?[jt]s$/u,
      /(?:^|\/)(?:buf\.gen|process-compose)[^/]*\.ya?ml$/u,
      /(?:^|\/)(?:webpack\.[a-z]+|gatsby-(?:config|node|ssr|browser)|brunch-config|knip)\.(?:[cm]?[jt]s|jsonc?)$/u,
      /(?:^|\/)typedoc\.[cm]?js$/u,
      /(?:^|\/)cabal\.project\.[a-z]+$/u,
      /(?:^|\/)(?:fastlane|profile\.d|_plugins)\/(?:.+\/)?[^/]+\.(?:rb|sh)$/u,
      /(?:^|\/)(?:hook\/(?:build|link)\.dart|packrat\/init\.r|debian\/rules|sorbet\/config|mise\/config\.toml)$/u,
      /(?:^|\/)(?:ipython|jupyter)[a-z_]*_config\.(?:py|json)$/u,
      /\.(?:build|target)\.cs$/u,
      /\.build\.ps1$/u,
      /(?:^|\/)\.pnpmfile\.[^/]*$/u,
      // Matches Makefile, Rakefile, Gemfile, Dockerfile and similar names.
      /(?:^|\/)[a-z]+file$/u,
      /(?:^|\/)\.?(?:make|gnumake|rake|just|task|jake|cake|gulp|grunt|docker|container|mage|danger|earth|tilt|vagrant|pod|gem|brew|fast|steep|snake|jenkins|proc|robo|helm|knex|plop|conan|cog|phake|nuke|rex|shake|mask|psake)file\.[^/]+$/u,
      /(?:^|\/)dangerfile\./u,
      /(?:^|\/)package@swift-[\d.]+\.swift$/u,
      /(?:^|\/)(?:mise(?:\.[^/]+)*\.toml|phpunit(?:\.[^/]+)?\.xml|electron-builder\.[^/]+|serverless\.[^/]+|docker-bake\.[^/]+|renv\/activate\.r)$/u,
      /\.(?:dockerfile|containerfile)$/u,
      /(?:^|\/)(?:docker-)?compose(?:\.[^/]+)?\.ya?ml$/u,
      /(?:^|\/)config\/[^/]+\.exs$/u,
    ],
  },
  {
    formatReason: () => l10n.t('Other programs run commands from this path.'),
    folders: createNameSet('.ssh .gnupg .aws .azure .kube'),
    files: createNameSet(
      `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
       .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .netrc _netrc
       .pypirc .pythonrc.py .curlrc .wgetrc .screenrc .tmux.conf profile.ps1
       desktop.ini autorun.inf authorized_keys crontab bashrc zshrc cshrc kshrc tcshrc bash_profile bash_login
       bash_logout bash_aliases zlogin zlogout zprofile zshenv xinitrc xsession inputrc tmux.conf _curlrc config.fish direnvrc sudoers`,
    ),
    patterns: [
      /(?:^|\/)\.env(?:\.[^/]*)?$/u,
      /\.(?:lnk|url|scf|desktop|library-ms|searchconnector-ms|search-ms|settingcontent-ms|website|themepack|deskthemepack|inetloc|fileloc|webloc|terminal|ps1xml|service|timer|socket|automount)$/u,
      /_profile\.ps1$/u,
      /(?:^|\/)launch(?:agents|daemons)\//u,
    ],
  },
  {
    formatReason: () => l10n.t('This file can configure a tool.'),
    folders: new Set(),
    files: createNameSet(
      `.flake8 .ghci mypy.ini .mypy.ini pylintrc .golangci.yml .golangci.yaml .golangci.toml cspell.json
       tslint.json .sqlfluff .pylintrc.toml pylintrc.toml .pytest.ini pytest.toml .pytest.toml tox.toml
       mocha.opts testem.js oxlint.json biome.json biome.jsonc`,
    ),
    patterns: [
      /\.conf(?:ig)?\.(?:[^/]+\.)?(?:[cm]?[jt]sx?|json[5c]?|ya?ml|toml|py)$/u,
      /(?:^|\/)vitest\.workspace\.[a-z]+$/u,
      /(?:^|\/)\.(?!nvmrc$|browserslistrc$)[^/]+rc(?:\.[^/]+)?$/u,
      /(?:^|\/)lighthouserc\.[a-z]+$/u,
      // A name that starts with a dot usually configures a tool, except for lists of names and generated files.
      /(?:^|\/)\.(?!\.*(?:\/|$))(?!(?:[a-z-]*ignore|gitkeep|keep|editorconfig|nojekyll|mailmap|git-blame-ignore-revs|ds_store|nvmrc|browserslistrc|(?:test|spec)\.[cm]?[jt]sx?)$)(?!(?:changeset|changes|well-known|cache|tmp|temp|next|nuxt|output|svelte-kit|astro)\/)[^/]/u,
    ],
  },
];
