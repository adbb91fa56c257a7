import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import {
  matchesAnyGlob,
  type CustomAgent,
  isAgentFileName,
  type MalformedAgentFile,
  maxDescriptionLength,
  maxSkills,
  readCustomAgent,
  readScopedInstructions,
  readSkill,
  type Skill,
} from '../agent-files.ts';
import { maxInstructionLength } from '../chat-instructions.ts';
import type { InstructionFile } from '../../conversation/conversation.ts';

/** Paths of instruction files at the root of a workspace folder. */
const rootFileNames = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'];
/** Paths, relative to the home folder, of instruction files that apply to all workspaces. */
const homeFileNames = ['.agents/AGENTS.md', '.claude/CLAUDE.md'];
const nestedFileName = 'AGENTS.md';
const scopedFolder = '.github/instructions';
const skillFolders = ['.github/skills', '.agents/skills', '.claude/skills'];
const agentFolders = ['.github/agents', '.claude/agents'];
/** Maximum size in bytes of a file with instructions, a skill or a custom agent. Larger files are ignored. */
const maxFileBytes = 256 * 1024;
/** Maximum total length in characters of all instruction files. */
const maxInstructionsLength = 4 * maxInstructionLength;
/** Maximum number of entries to read from a folder. */
const maxEntries = 200;

type AgentFileFolder = Pick<vscode.WorkspaceFolder, 'uri' | 'name'>;

export interface InstructionContext {
  readonly folders: readonly AgentFileFolder[];
  readonly isTrusted: boolean;
  /** File in the active editor; undefined if the active editor shows no file. */
  readonly visibleFile: vscode.Uri | undefined;
  /** The user's home folder; undefined to ignore the files in it. */
  readonly homeFolder?: vscode.Uri | undefined;
}

/** Instructions, skills and custom agents in files of the workspace and the user's home folder. */
export interface AgentFiles {
  readonly instructions: readonly InstructionFile[];
  /** Skills that the model can load. Includes instructions whose glob does not match the visible file. */
  readonly skills: readonly Skill[];
  readonly agents: readonly CustomAgent[];
  /**
   * Files that are skipped because they cannot be parsed, exceed a limit, or have an invalid name or the name of
   * another skill.
   */
  readonly skippedFiles: readonly (MalformedAgentFile & { readonly label: string })[];
}

export const getHomeFolder = (): vscode.Uri => vscode.Uri.file(homedir());

/**
 * States of files and folders at the time of reading. A comparison detects changes for which the file watcher fires no
 * event, such as in a new folder or in the home folder.
 */
export class FileStates {
  readonly #states = new Map<string, { readonly uri: vscode.Uri; readonly state: string }>();

  /**
   * Records the state of a file or folder. Call this before reading the file or folder, so that later changes are
   * detected.
   * @throws if VS Code cannot read the state, such as for a missing file
   */
  async recordStat(uri: vscode.Uri): Promise<vscode.FileStat> {
    this.#states.set(uri.toString(), { uri, state: '' });
    const stat = await vscode.workspace.fs.stat(uri);
    this.#states.set(uri.toString(), { uri, state: formatState(stat) });
    return stat;
  }

  /** Checks whether a file or folder was created, changed or deleted after its state was recorded. Never rejects. */
  async haveChanged(): Promise<boolean> {
    const checkPromises = [...this.#states.values()].map(async ({ uri, state }) => {
      const stat = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
      return state !== (stat === undefined ? '' : formatState(stat));
    });
    return (await Promise.all(checkPromises)).includes(true);
  }
}

const formatState = ({ type, ctime, mtime, size }: vscode.FileStat): string =>
  `${type} ${ctime} ${mtime} ${size}`;

/**
 * Reads the files that apply: instruction files, skills and custom agents. Instruction files are read from the root of
 * each workspace folder, from the folder nearest to the visible file, and from the home folder. Returns nothing in an
 * untrusted workspace. Never rejects.
 * @param states Receives the state of each file and folder that is looked up, even if it is missing.
 */
export async function readAgentFiles(
  context: InstructionContext,
  states: FileStates = new FileStates(),
): Promise<AgentFiles> {
  if (!context.isTrusted) return { instructions: [], skills: [], agents: [], skippedFiles: [] };
  const bases = context.folders.map((folder) =>
    createWorkspaceBase(folder, context.folders.length > 1, states),
  );
  const homeBases =
    context.homeFolder === undefined ? [] : [createHomeBase(context.homeFolder, states)];
  const [plainInstructions, scopedResults, skills, agents] = await Promise.all([
    readUnscopedInstructions(context, bases, homeBases),
    Promise.all(bases.map((base) => readScopedInstructionFiles(base, context.visibleFile))),
    Promise.all([...bases, ...homeBases].map(readSkills)),
    Promise.all(bases.map(readAgents)),
  ]);
  const results = [...scopedResults, ...skills, ...agents].flat();
  const { instructions, excessFiles } = splitAtLengthLimit(
    removeCopies([
      ...plainInstructions,
      ...results.flatMap(({ instructions = [] }) => instructions),
    ]),
  );
  // A skill precedes scoped instructions with the same name.
  const listedSkills = removeDuplicateNames(
    [...skills, ...scopedResults].flat().flatMap(({ skill = [] }) => skill),
  );
  const scopedSkills = scopedResults.flat().flatMap(({ skill = [] }) => skill);
  const skippedSkills = [
    ...scopedSkills.filter((skill) => !listedSkills.includes(skill)),
    ...listedSkills.slice(maxSkills),
  ];
  return {
    instructions,
    skills: listedSkills.slice(0, maxSkills),
    agents: removeDuplicateNames(results.flatMap(({ agent = [] }) => agent)),
    skippedFiles: [
      ...results.flatMap(({ malformedFile = [] }) => malformedFile),
      ...[...excessFiles, ...skippedSkills].map(({ label }) => ({ line: 1, label })),
      ...[...bases, ...homeBases]
        .flatMap(({ largeFiles }) => [...largeFiles].toSorted())
        .map((label) => ({ line: 1, label })),
    ],
  };
}

/** Result of reading one file, which contains instructions, a skill or a custom agent, or is malformed. */
interface ReadResult {
  readonly instructions?: InstructionFile;
  readonly skill?: Skill;
  readonly agent?: CustomAgent;
  readonly malformedFile?: MalformedAgentFile & { readonly label: string };
}

/**
 * A folder that can contain instructions, skills and custom agents. `formatLabel` returns the name of a file for the
 * user, and `toToolPath` returns its path for the file tools.
 */
interface BaseFolder {
  readonly uri: vscode.Uri;
  readonly formatLabel: (path: string) => string;
  readonly toToolPath: (path: string) => string;
  readonly states: FileStates;
  /** Receives the labels of files that are larger than the limit. */
  readonly largeFiles: Set<string>;
}

function createWorkspaceBase(
  { uri, name }: AgentFileFolder,
  isNamed: boolean,
  states: FileStates,
): BaseFolder {
  const addFolderName = (path: string): string => (isNamed ? `${name}/${path}` : path);
  return {
    uri,
    formatLabel: addFolderName,
    toToolPath: addFolderName,
    states,
    largeFiles: new Set(),
  };
}

const createHomeBase = (uri: vscode.Uri, states: FileStates): BaseFolder => ({
  uri,
  states,
  largeFiles: new Set(),
  formatLabel: (path) => `~/${path}`,
  toToolPath: (path) => vscode.Uri.joinPath(uri, path).fsPath,
});

async function readUnscopedInstructions(
  { folders, visibleFile }: InstructionContext,
  bases: readonly BaseFolder[],
  homeBases: readonly BaseFolder[],
): Promise<readonly InstructionFile[]> {
  const files = await Promise.all([
    ...homeBases.flatMap((base) => homeFileNames.map((name) => readInstructions(base, name))),
    ...bases.flatMap((base) => rootFileNames.map((name) => readInstructions(base, name))),
    readNearestInstructions(),
  ]);
  return files.filter((file) => file !== undefined);

  /**
   * Returns the instruction file nearest to the visible file, searching from the folder of the visible file upward.
   * Ignores the root of the workspace folder, whose instruction files are read separately. Returns undefined if no file
   * is found.
   */
  async function readNearestInstructions(): Promise<InstructionFile | undefined> {
    if (visibleFile === undefined) return undefined;
    // If folders are nested, the innermost folder applies.
    const [folder] = folders
      .filter(({ uri }) => isInside(visibleFile, uri))
      .toSorted((a, b) => b.uri.path.length - a.uri.path.length);
    if (folder === undefined) return undefined;
    const base = bases.find(({ uri }) => uri === folder.uri);
    if (base === undefined) return undefined;
    const rootLength = folder.uri.path.length;
    for (let parent = vscode.Uri.joinPath(visibleFile, '..'); parent.path.length > rootLength;) {
      const uri = vscode.Uri.joinPath(parent, nestedFileName);
      const path = uri.path.slice(rootLength + 1);
      // The user trusts the workspace, not the authors of installed packages.
      const isInPackage = path.split('/').includes('node_modules');
      const file = isInPackage ? undefined : await readInstructions(base, path);
      if (file !== undefined) return file;
      parent = vscode.Uri.joinPath(parent, '..');
    }
    return undefined;
  }
}

async function readInstructions(
  base: BaseFolder,
  path: string,
): Promise<InstructionFile | undefined> {
  const text = await readText(base, path);
  // `@AGENTS.md` is the whole of a `CLAUDE.md` file that only includes the other file.
  return text === undefined || /^\s*(?:@AGENTS\.md\s*)?$/u.test(text)
    ? undefined
    : { label: base.formatLabel(path), text };
}

/**
 * Reads the instruction files that apply only to files that match a glob. If the visible file does not match the glob,
 * returns the instruction file as a skill, which the model can load.
 */
async function readScopedInstructionFiles(
  base: BaseFolder,
  visibleFile: vscode.Uri | undefined,
): Promise<ReadResult[]> {
  const names = await listFiles(base, scopedFolder, '.instructions.md');
  const visiblePath =
    visibleFile !== undefined && isInside(visibleFile, base.uri)
      ? visibleFile.path.slice(base.uri.path.replace(/\/$/u, '').length + 1)
      : '';
  const files = names.map(async (name): Promise<ReadResult> => {
    const path = `${scopedFolder}/${name}`;
    const label = base.formatLabel(path);
    const text = await readText(base, path);
    if (text === undefined) return {};
    const parsedFile = readScopedInstructions(text);
    if ('line' in parsedFile) return { malformedFile: { ...parsedFile, label } };
    const { applyTo, description } = parsedFile;
    if (
      /^\*\*(?:\/\*)?$/u.test(applyTo) ||
      (visiblePath !== '' && matchesAnyGlob(applyTo, visiblePath))
    )
      return { instructions: { label, text: parsedFile.text } };
    if (applyTo === '' && description === '') return {};
    const skillName = name.slice(0, -'.instructions.md'.length);
    if (!isAgentFileName(skillName)) return { malformedFile: { line: 1, label } };
    const scopeText = applyTo === '' ? '' : `read it before you change ${applyTo}. `;
    return {
      skill: {
        name: skillName,
        description: `${scopeText}${description}`.trim().slice(0, maxDescriptionLength),
        path: base.toToolPath(path),
        label,
      },
    };
  });
  return Promise.all(files);
}

async function readSkills(base: BaseFolder): Promise<ReadResult[]> {
  const readPromises = skillFolders.map(async (folder) => {
    const names = await listEntries(
      base,
      folder,
      (type) => (type & vscode.FileType.Directory) !== 0,
    );
    const skills = names.map(async (name): Promise<ReadResult> => {
      const path = `${folder}/${name}/SKILL.md`;
      const text = await readText(base, path, skillFolders);
      if (text === undefined) return {};
      const label = base.formatLabel(path);
      const skill = readSkill(text, { label, path: base.toToolPath(path), fallbackName: name });
      return 'line' in skill ? { malformedFile: { ...skill, label } } : { skill };
    });
    return Promise.all(skills);
  });
  return (await Promise.all(readPromises)).flat();
}

async function readAgents(base: BaseFolder): Promise<ReadResult[]> {
  const readPromises = agentFolders.map(async (folder) => {
    const agents = (await listFiles(base, folder, '.md')).map(async (name): Promise<ReadResult> => {
      const text = await readText(base, `${folder}/${name}`);
      if (text === undefined) return {};
      const label = base.formatLabel(`${folder}/${name}`);
      const fallbackName = name.replace(/(?:\.agent)?\.md$/u, '');
      const agent = readCustomAgent(text, { label, fallbackName });
      return 'line' in agent ? { malformedFile: { ...agent, label } } : { agent };
    });
    return Promise.all(agents);
  });
  return (await Promise.all(readPromises)).flat();
}

const listFiles = (base: BaseFolder, folder: string, suffix: string): Promise<readonly string[]> =>
  listEntries(base, folder, (type, name) => type === vscode.FileType.File && name.endsWith(suffix));

async function listEntries(
  base: BaseFolder,
  folder: string,
  isIncluded: (type: vscode.FileType, name: string) => boolean,
): Promise<readonly string[]> {
  try {
    const uri = vscode.Uri.joinPath(base.uri, folder);
    await base.states.recordStat(uri);
    const entries = await vscode.workspace.fs.readDirectory(uri);
    const names = entries.filter(([name, type]) => isIncluded(type, name)).map(([name]) => name);
    return names.toSorted().slice(0, maxEntries);
  } catch {
    return [];
  }
}

/**
 * Returns the text of a file; undefined if the file is missing, unreadable or too large, or if a link on its path leads
 * outside the folder.
 * @param linkTargets Subfolders into which links may lead.
 */
async function readText(
  { uri: folder, states, formatLabel, largeFiles }: BaseFolder,
  path: string,
  linkTargets: readonly string[] = [],
): Promise<string | undefined> {
  const uri = vscode.Uri.joinPath(folder, path);
  try {
    const { type, size } = await states.recordStat(uri);
    if ((type & vscode.FileType.File) === 0) return undefined;
    if (uri.scheme === 'file' && !(await staysInFolder(folder, uri, linkTargets))) return undefined;
    if (uri.scheme !== 'file' && type !== vscode.FileType.File) return undefined;
    if (size > maxFileBytes) {
      largeFiles.add(formatLabel(path));
      return undefined;
    }
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}

/** Checks that no link leads from the file to a location outside its folder and `linkTargets`. */
async function staysInFolder(
  folder: vscode.Uri,
  file: vscode.Uri,
  linkTargets: readonly string[],
): Promise<boolean> {
  const root = await realpath(folder.fsPath);
  const target = await realpath(file.fsPath);
  if (target === join(root, relative(folder.fsPath, file.fsPath))) return true;
  return (
    target.endsWith(`${sep}SKILL.md`) &&
    linkTargets.some((path) => target.startsWith(join(root, path) + sep))
  );
}

const isInside = (uri: vscode.Uri, folder: vscode.Uri): boolean =>
  uri.scheme === folder.scheme &&
  uri.authority === folder.authority &&
  uri.path.startsWith(folder.path.endsWith('/') ? folder.path : `${folder.path}/`);

/** Omits files that have the same text as an earlier file, such as a `CLAUDE.md` that copies `AGENTS.md`. */
function removeCopies(files: readonly InstructionFile[]): readonly InstructionFile[] {
  const knownTexts = new Set<string>();
  return files.filter(({ text }) => !knownTexts.has(text.trim()) && knownTexts.add(text.trim()));
}

/**
 * Splits the files at the first file that exceeds the limit on the total length. `excessFiles` starts with this file.
 */
function splitAtLengthLimit(files: readonly InstructionFile[]): {
  readonly instructions: readonly InstructionFile[];
  readonly excessFiles: readonly InstructionFile[];
} {
  let length = 0;
  const end = files.findIndex(({ text }) => {
    length += Math.min(text.length, maxInstructionLength);
    return length > maxInstructionsLength;
  });
  const count = end < 0 ? files.length : end;
  return { instructions: files.slice(0, count), excessFiles: files.slice(count) };
}

function removeDuplicateNames<Item extends { readonly name: string }>(
  items: readonly Item[],
): Item[] {
  const itemsByName = new Map(items.toReversed().map((item) => [item.name, item]));
  return [...itemsByName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
