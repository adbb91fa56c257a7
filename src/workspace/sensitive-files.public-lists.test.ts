import { describe, expect, test } from 'vitest';
import { findSensitiveReason } from './sensitive-files.ts';

const isSensitive = (path: string): boolean => findSensitiveReason(path) !== undefined;
const splitNames = (text: string): readonly string[] => text.trim().split(/\s+/u);

/**
 * File names of languages in GitHub Linguist (`lib/linguist/languages.yml`, version of 2026-08-20): build tools, task
 * runners, package managers, shells and editors. Excludes checksum files, licenses, ignore lists, requirements files of
 * pip and plain data.
 */
const linguistFiles: Readonly<Record<string, string>> = {
  'Alpine and Arch packages': 'APKBUILD PKGBUILD',
  Ant: 'ant.xml build.xml',
  ApacheConf: '.htaccess apache2.conf httpd.conf',
  Batchfile: 'gradlew.bat mvnw.cmd',
  Caddyfile: 'Caddyfile',
  'Cabal Config': 'cabal.config cabal.project',
  CMake: 'CMakeLists.txt',
  CoffeeScript: 'Cakefile',
  cURL: '.curlrc _curlrc',
  crontab: 'crontab',
  Dockerfile: 'Containerfile Dockerfile',
  Dotenv: '.env .env.dev .env.local .env.production .env.test',
  Dune: 'dune-project',
  Earthly: 'Earthfile',
  'Emacs Lisp': '.emacs .gnus .spacemacs .viper Cask Eask Project.ede _emacs',
  Erlang: 'Emakefile rebar.config rebar.config.lock rebar.lock',
  Fancy: 'Fakefile',
  GN: '.gn',
  Git: '.gitattributes .gitconfig .gitmodules .tgitconfig config.worktree',
  Go: 'go.mod go.work',
  Groovy: 'Jenkinsfile',
  INI: '.buckconfig .coveragerc .flake8 .pylintrc buildozer.spec pylintrc',
  JSON: '.arcconfig .c8rc .nycrc .releaserc .watchmanconfig bun.lock composer.lock deno.lock flake.lock Pipfile.lock',
  'JSON with Comments': `.babelrc .devcontainer.json .eslintrc .eslintrc.json .jscsrc .jshintrc .oxlintrc.json .swcrc
    api-extractor.json devcontainer.json jsconfig.json tsconfig.json tslint.json`,
  JavaScript: 'Jakefile',
  Just: '.JUSTFILE .Justfile .justfile JUSTFILE Justfile justfile',
  KakouneScript: 'kakrc',
  LiveScript: 'Slakefile',
  Lua: '.luacheckrc',
  M4Sugar: 'configure.ac',
  Makefile: `BSDmakefile GNUmakefile Kbuild Makefile Makefile.am Makefile.boot Makefile.frag Makefile.in Makefile.inc
    Makefile.pc Makefile.wat makefile makefile.sco mkfile`,
  Maven: 'pom.xml',
  Meson: 'meson.build meson_options.txt',
  NPM: '.npmrc',
  Nextflow: 'nextflow.config',
  Nim: 'nim.cfg',
  Nu: 'Nukefile',
  'Option List': '.ackrc .rspec .yardopts mocha.opts',
  PHP: '.php_cs .php_cs.dist Phakefile',
  Perl: '.latexmkrc Makefile.PL Rexfile cpanfile latexmkrc',
  Procfile: 'Procfile',
  Puppet: 'Modulefile',
  Python: '.gclient DEPS SConscript SConstruct wscript',
  R: '.Rprofile',
  Readline: '.inputrc inputrc',
  Ruby: `.irbrc .pryrc .simplecov Appraisals Berksfile Brewfile Buildfile Capfile Dangerfile Deliverfile Fastfile
    Gemfile Guardfile Jarfile Mavenfile Podfile Puppetfile Rakefile Snapfile Steepfile Thorfile Vagrantfile buildfile`,
  Shell: `.bash_aliases .bash_functions .bash_logout .bash_profile .bashrc .cshrc .envrc .flaskenv .kshrc .login .profile
    .tmux.conf .xinitrc .xsession .zlogin .zlogout .zprofile .zshenv .zshrc bash_aliases bash_logout bash_profile
    bashrc cshrc gradlew kshrc mvnw tmux.conf xinitrc xsession zlogin zlogout zprofile zshenv zshrc`,
  Singularity: 'Singularity',
  Snakemake: 'Snakefile',
  Soong: 'Android.bp',
  Starlark:
    'BUCK BUILD BUILD.bazel MODULE.bazel Tiltfile WORKSPACE WORKSPACE.bazel WORKSPACE.bzlmod',
  TOML: 'Cargo.lock Pipfile mise.local.lock mise.lock pdm.lock poetry.lock uv.lock',
  'Vim script': '.exrc .gvimrc .nvimrc .vimrc _vimrc gvimrc nvimrc vimrc',
  Wget: '.wgetrc',
  XML: '.classpath .cproject .project NuGet.config Web.config packages.config',
  Xmake: 'xmake.lua',
  YAML: '.clang-tidy .clangd .gemrc pixi.lock yarn.lock',
};

describe.each(Object.entries(linguistFiles))(
  'findSensitiveReason for the file names that Linguist lists under %s',
  (_, files) => {
    test.each(splitNames(files))('recognizes %s as sensitive', (name) => {
      expect(isSensitive(name)).toBe(true);
      expect(isSensitive(`packages/app/${name}`)).toBe(true);
    });
  },
);

/** Files of coding agents, from the table in the README of ruler (`intellectronica/ruler`), one file per folder. */
const rulerFiles =
  splitNames(`AGENTS.md .mcp.json .claude/skills/a.md .github/agents/a.md CLAUDE.md .claude/agents/a.md
  .codex/config.toml .agents/skills/a.md .codex/agents/a.toml .pi/skills/a.md .cursor/mcp.json .cursor/agents/a.md
  .windsurf/mcp_config.json .clinerules CRUSH.md .crush.json .agent/rules/ruler.md .amazonq/rules/ruler_q_rules.md
  .amazonq/mcp.json .aider.conf.yml .idx/airules.md .idx/mcp.json .openhands/microagents/repo.md .gemini/settings.json
  .junie/guidelines.md .augment/rules/ruler_augment_instructions.md .kilocode/mcp.json opencode.json .goosehints
  .qwen/settings.json .roo/mcp.json .zed/settings.json .trae/rules/project_rules.md WARP.md
  .kiro/steering/ruler_kiro_instructions.md .kiro/settings/mcp.json firebender.json .factory/mcp.json .vibe/config.toml
  .aiassistant/rules/AGENTS.md .ruler/AGENTS.md .ruler/ruler.toml`);

/** Files of coding assistants, as named in the documentation of each assistant. */
const assistantFiles =
  splitNames(`AmazonQ.md .devin/hooks.json .devin/rules.md .antigravity/a.md .qoder/rules/a.md
  .comate/rules/a.mdr .serena/project.yml .specify/memory/a.md .taskmaster/config.json .sourcegraph/a.rule.md
  .bolt/prompt .refact/a.yaml .tabby/a.md .blackbox/a.md .blackboxrules airules.md knowledge.md gptme.toml
  .pr_agent.toml greptile.json sweep.yaml ellipsis.yaml .sourcery.yaml .aiexclude .aiignore .clineignore .rooignore
  .geminiignore .codeiumignore .cursorindexingignore .augmentignore .kilocodeignore .kode/a .pochi/a .mux/a
  .commandcode/a .neovate/a .codebuddy/a .github/copilot-instructions.md a.instructions.md a.prompt.md a.chatmode.md
  a.agent.md CLAUDE.local.md AGENTS.local.md agents.override.md QODER.md KIMI.md .claude-plugin/plugin.json`);

/** Files of task runners, build tools and language servers, as named in the documentation of each tool. */
const toolFiles =
  splitNames(`turbo.jsonc .lintr .ccls .jvmopts .sbtopts .jvm-opts dangerfile.js dangerfile.ts Dangerfile.df.kts
  conanfile.py conanfile.txt xmake.lua premake5.lua .bazelrc .bazelproject BUILD.gn args.gni build.ninja TARGETS
  Makefile.toml Taskfile.yml Taskfile.dist.yaml magefile.go noxfile.py toxfile.py hatch_build.py pavement.py dodo.py
  invoke.yaml Cross.toml rust-analyzer.toml rust-project.json Trunk.toml bacon.toml .goreleaser.yml .air.toml air.toml
  .golangci.json bleep.yaml project.scala project/build.properties jbang-catalog.json dotnet-tools.json
  paket.dependencies build.cake build.fsx launchSettings.json app.nuspec a.tt vcpkg.json meson.options a.pro a.pri
  a.qbs platformio.ini Package@swift-5.9.swift Project.swift Workspace.swift app.xcconfig ci_scripts/ci_post_clone.sh
  pubspec.yaml pubspec_overrides.yaml analysis_options.yaml build.yaml melos.yaml .standard.yml .haml-lint.yml
  .rubocop_todo.yml mise.local.toml .mise.local.toml .config/mise/config.toml .rtx.toml phpunit.ci.xml ecs.php castor.php
  RoboFile.php codeception.yml behat.yml .user.ini php.ini grumphp.yml captainhook.json rebar.config.script
  erlang_ls.config cabal.project.local app.cabal Setup.hs dune dune-workspace app.opam .ocamlinit profiles.clj user.clj
  .nrepl.edn startup.jl deps/build.jl app.rockspec renv/activate.R a.nix Build.PL dist.ini a.hxml config.nims app.nimble
  shard.yml dub.json dub.sdl gleam.toml rescript.json bsconfig.json app.gpr alire.toml fpm.toml project.godot
  app.uproject app.uplugin devfile.yaml .devfile.yaml .codesandbox/tasks.json .stackblitzrc .phpactor.json
  coc-settings.json .nlsp.json .neoconf.json buildServer.json zls.json .elixir_ls/a .pyre_configuration uv.toml
  ember-cli-build.js gatsby-config.js gatsby-node.js electron-builder.yml .release-it.json firebase.json amplify.yml
  serverless.yml cdk.json cdktf.json Pulumi.yaml devspace.yaml helmfile.yaml docker-bake.hcl heroku.yml nixpacks.toml
  railway.json .pre-commit-hooks.yaml hk.pkl .mega-linter.yml .trunk/trunk.yaml dprint.json .readthedocs.yaml
  .cirrus.star .drone.jsonnet .teamcity/settings.kts .builds/a.yml .build.yml .zuul.yaml bitrise.yml .bitrise.yml
  codeship-steps.yml .semaphore/semaphore.yml .tekton/a.yaml azure-pipelines-release.yml .gitlab-ci-test.yml
  .woodpecker.yaml .taskcluster.yml .pam_environment .mailcap a.service a.timer .lessfilter config.fish
  renovate.json screwdriver.yaml dagger.json .nuke/parameters.json .expo/a knexfile.js plopfile.js wallaby.js`);

/**
 * Instruction, plugin and server files that coding assistants load, as named in the documentation of each assistant.
 */
const pluginFiles =
  splitNames(`mcp-servers.json mcp-config.json cline_mcp_settings.json claude_desktop_config.json memory-bank/a.md
  opencode.md OpenCode.local.md CRUSH.local.md cursor.md gemini-extension.json qwen-extension.json codebuff.json
  a.knowledge.md smithery.yaml kilo.jsonc rulesync.jsonc ai-rulez.yaml apm.yml hooks/hooks.json AI_RULES.md SOUL.md
  HEARTBEAT.md CONVENTIONS.md best_practices.md pr_compliance_checklist.yaml`);

/**
 * Code and settings that build tools and editors load by default, according to their documentation: Gradle (buildSrc),
 * sbt (project), Lake, Sphinx (conf.py), mdBook, MkDocs, Visual Studio (Open Folder), Unity (Editor), GDB (auto-load)
 * and others.
 */
const autoLoadedFiles =
  splitNames(`buildSrc/src/main/kotlin/a.kt build-logic/a.kt project/Build.scala project/project/A.scala
  lakefile.lean lakefile.toml lean-toolchain docs/conf.py doc/source/conf.py conf.py book.toml _quarto.yml treefmt.toml mkdocs.yml
  config-overrides.js _CoqProject _RocqProject spec/support/jasmine.json typedoc.json buf.gen.yaml buf.gen.go.yaml
  codegen.yml codegen.ts skaffold.yaml process-compose.yaml process-compose.dev.yml launch.vs.json tasks.vs.json
  CppProperties.json CMakeSettings.json PSScriptAnalyzerSettings.psd1 local.properties Assets/Editor/Menu.cs
  Assets/A/Editor/B.cs app-gdb.py lib.so-gdb.gdb CMakeLists.txt.user app.pro.user Game.Build.cs Game.Target.cs
  plugin.gdextension a.launch a.iml a.projitems a.ttinclude a.slnf packages.lock.json gems.rb lib/tasks/a.rake a.thor
  a.mak a.tup a.just Jamroot gradle/libs.versions.toml fastlane/actions/a.rb _plugins/a.rb hook/build.dart
  packrat/init.R debian/rules sorbet/config jupyter_notebook_config.py ipython_config.py gunicorn.conf.py
  psakefile.ps1 a.build.ps1 webpack.dev.js gatsby-config.ts knip.ts cabal.project.freeze build-tools.config.jsonc
  __pycache__/a.cpython-313.pyc a.egg-info/entry_points.txt a.dist-info/entry_points.txt foundry.toml Anchor.toml
  terragrunt.hcl pants.toml openapitools.json dvc.yaml MLproject prefect.yaml mprocs.yaml devenv.yaml pkgx.yaml
  guix.scm data_readers.clj user.cljc tests.edn vm.args uwsgi.ini supervisord.conf bamboo-specs/a.yml appspec.yml
  azure.yaml atlantis.yaml codefresh.yml zuul.d/a.yaml buildspec-test.yml lighthouserc.js tasks.py app.pro app/app.pro
  Library/LaunchAgents/a.plist a.inetloc a.terminal a.settingcontent-ms etc/profile.d/a.sh direnvrc mise-tasks/a
  typedoc.cjs jsdoc.json brunch-config.js redwood.toml prisma/schema.prisma`);

test.each([...rulerFiles, ...assistantFiles, ...pluginFiles, ...toolFiles, ...autoLoadedFiles])(
  'changing %s always requires approval',
  (path) => {
    expect(isSensitive(path)).toBe(true);
    expect(isSensitive(path.toUpperCase())).toBe(true);
  },
);

test.each(
  splitNames(`.github/ISSUE_TEMPLATE/AGENTS.md .github/ISSUE_TEMPLATE/config.yml .github/ISSUE_TEMPLATE/a/b.yml
    .github/CODEOWNERS/a .github/dependabot.yml .github/workflows/a.md`),
)(
  'changing %s always requires approval, although changing other files of the same folder does not',
  (path) => {
    expect(isSensitive(path)).toBe(true);
  },
);

test.each(
  splitNames(`src/build.ts src/workspace/index.ts build/index.html deps/a.c targets/a.py dune/a.txt docs/knowledge/a.md
    src/services/user.service.ts src/timer.ts src/project.ts src/user.clj.md docs/dangerfile-guide.md lib/build.py
    src/profile.ts src/file.go src/my-file.js src/a.pro.ts src/project/properties.ts README.md notes.txt index.php
    src/config.ts app/settings.py src/devin.ts src/nix.ts src/main.nim a.yaml data.json src/castor.ts
    requirements.txt requirements-dev.txt requirements/base.txt app/tasks.py app/proguard-rules.pro proguard.pro
    consumer-rules.pro src/prolog/family.pro docs/conventions.md docs/knowledge.md docs/best_practices.md src/.test.ts
    .nvmrc .browserslistrc packages/a/.nvmrc .github/ISSUE_TEMPLATE/bug.md .github/CODEOWNERS
    .github/pull_request_template.md .github/FUNDING.yml src/main/scala/project/A.scala app/conf.py src/codegen.ts
    src/webpack-helper.ts src/knipser.ts src/editor/menu.cs assets/editor.css src/launch.ts src/mcp/config.ts
    docs/mcp.md src/opencode.ts src/memory.md src/profile.d.ts src/hook/build.ts docs/book.md lib/tests.edn.md
    src/typedoc.ts src/jsdoc.js docs/schema.prisma.md`),
)('changing %s requires no special approval', (path) => {
  expect(isSensitive(path)).toBe(false);
});
