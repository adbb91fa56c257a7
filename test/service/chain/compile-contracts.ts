import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Abi, Hex } from 'viem';

/** A compiled contract. */
export interface CompiledContract {
  readonly abi: Abi;
  /** Creation code, without constructor arguments. */
  readonly bytecode: Hex;
}

/** Contracts by name. */
export type Contracts = Readonly<Record<string, CompiledContract>>;

const sourceFolder = new URL('../contracts/', import.meta.url);
const cacheFolder = new URL('../../../.artefacts/contracts/', import.meta.url);

/**
 * Compiles the contracts in `test/service/contracts`, which takes about a second. Caches the result
 * by a hash of the sources.
 */
export async function compileContracts(): Promise<Contracts> {
  const sources = await readSources();
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex');
  const file = fileURLToPath(new URL(`${hash.slice(0, 16)}.json`, cacheFolder));
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Contracts;
  } catch {
    const contracts = await compileSources(sources);
    await writeCache(file, JSON.stringify(contracts));
    return contracts;
  }
}

type Sources = Readonly<Record<string, { readonly content: string }>>;

async function readSources(): Promise<Sources> {
  const names = (await readdir(sourceFolder)).filter((name) => name.endsWith('.sol')).sort();
  const texts = names.map((name) => readFile(new URL(name, sourceFolder), 'utf8'));
  const contents = await Promise.all(texts);
  return Object.fromEntries(names.map((name, index) => [name, { content: contents[index] ?? '' }]));
}

interface CompilerOutput {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>
  >;
}

async function compileSources(sources: Sources): Promise<Contracts> {
  const { default: solc } = await import('solc');
  const settings = {
    // EVM version that every current chain supports.
    evmVersion: 'paris',
    optimizer: { enabled: true },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const input = JSON.stringify({ language: 'Solidity', sources, settings });
  const output = JSON.parse(solc.compile(input)) as CompilerOutput;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  const contracts = Object.values(output.contracts).flatMap((file) => Object.entries(file));
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
  );
}

/**
 * Writes the cache file under a temporary name and then renames it, because several processes may write the file at the
 * same time.
 */
async function writeCache(file: string, text: string): Promise<void> {
  await mkdir(cacheFolder, { recursive: true });
  const temporaryFile = `${file}.${randomUUID()}`;
  await writeFile(temporaryFile, text);
  await rename(temporaryFile, file);
}
