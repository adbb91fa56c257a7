import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { ToolArguments, ToolContext, ToolPlan, ToolResult } from '../../agent/tool.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { ToolImage } from '../../conversation/tool-run.ts';
import type { ImageRecord } from '../image-record.ts';
import type { ToolPorts } from '../../agent/vscode/agent-runtime.ts';
import type { Paths, ResolvedPath } from '../../workspace/vscode/paths.ts';
import { formatFileError } from './image-failure.ts';
import type { ImageServices } from './image-services.ts';
import { chooseImageFolder } from './image-location.ts';
import { mayBeCharged } from '../image-generator.ts';
import { getImageCost, formatSavedImage, refusedImageText } from '../image-text.ts';
import {
  type ImageToolRequest,
  ImageToolRequestError,
  planToolRequest,
  type PlannedGeneration,
  readToolRequest,
} from './plan-image.ts';
import { findAvailableUri } from './save-image.ts';

/** Call of the agent's image tool: the plan to confirm, and the function that executes it. */
export interface GenerateImageCall {
  readonly plan: ToolPlan;
  /**
   * Executes the plan after the user has confirmed it.
   * @throws ToolError with a message that tells the model what to do
   */
  run(context: ToolContext): Promise<ToolResult>;
}

/** Planned request, and the path of the file to create. */
interface PlannedCall extends PlannedGeneration {
  readonly folder: vscode.Uri;
  readonly path: ResolvedPath;
}

/**
 * Maximum size in bytes of an image that the model receives. The image becomes part of the conversation and of every
 * further request.
 */
const maxReturnedBytes = 1_000_000;

/**
 * Plans a call of the image tool.
 * @throws ToolError if the call cannot succeed
 */
export async function planImageCall(
  parts: ImageServices,
  ports: ToolPorts,
  args: ToolArguments,
): Promise<GenerateImageCall> {
  const planned = await planCall(parts, ports, args);
  return {
    plan: toToolPlan(planned),
    run: (context) => generate({ ...ports, parts }, planned, context),
  };
}

async function planCall(
  parts: ImageServices,
  { paths }: ToolPorts,
  args: ToolArguments,
): Promise<PlannedCall> {
  await parts.loadModels();
  const request = readToolRequest({
    ...args,
    negativePrompt: args['negative_prompt'],
    aspectRatio: args['aspect_ratio'],
  });
  const plan = planRequest(parts, request);
  const choice = chooseImageFolder(undefined);
  if (choice.kind === 'problem') throw new ToolError('failed', choice.text);
  if (choice.kind === 'ask') throw new ToolError('failed', 'No folder is open to save it in.');
  const { folder } = choice;
  const expected = {
    origin: { kind: 'generate', request: plan.request, variant: 0, variants: 1 },
    format: plan.request.format ?? 'webp',
  } as const;
  const path = await paths.resolve(getRelativePath(await findAvailableUri(expected, folder)));
  return { ...plan, folder, path };
}

function planRequest(parts: ImageServices, request: ImageToolRequest): PlannedGeneration {
  try {
    return planToolRequest(parts, request);
  } catch (error) {
    if (!(error instanceof ImageToolRequestError)) throw error;
    throw new ToolError('bad-arguments', error.message);
  }
}

function toToolPlan({ request, description, price, path: target }: PlannedCall): ToolPlan {
  const { prompt, negativePrompt } = request;
  const negativePromptLines =
    negativePrompt === undefined ? [] : [vscode.l10n.t('Without: {0}', negativePrompt)];
  return {
    verb: vscode.l10n.t('Generate'),
    pastVerb: vscode.l10n.t('Generated'),
    target: target.label,
    uri: target.uri.toString(),
    resources: [
      { type: 'cost', price },
      { type: 'path', path: getRelativePath(target.uri), access: 'write' },
    ],
    preview: {
      language: 'plaintext',
      text: [description, prompt, ...negativePromptLines].join('\n\n'),
      cwd: '',
      files: [target.label],
    },
  };
}

interface Ports extends ToolPorts {
  readonly parts: ImageServices;
}

async function generate(
  ports: Ports,
  plan: PlannedCall,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal } = context;
  if (signal.aborted) throw new ToolError('stopped', 'Stopped before anything was asked for.');
  const { records, failure } = await ports.parts.run(plan.task, { signal, onProgress: () => {} });
  const [record] = records;
  if (record === undefined) {
    const output = `No picture was made. ${failure?.message ?? ''}`.trim();
    if (!mayBeCharged(failure?.code)) throw new ToolError('failed', output);
    const cost = getImageCost(plan.task);
    return { output: `${output} It may have been charged.`, failed: true, cost };
  }
  const cost = getImageCost(record);
  if (record.moderation.contentViolation) {
    return { output: refusedImageText, failed: true, cost };
  }
  // A stopped call writes no file. The image stays in the gallery, because it was charged.
  if (signal.aborted) {
    return { output: 'Stopped. The picture is in the gallery, not in the workspace.', cost };
  }
  try {
    const target = await save(ports, { plan, record, context });
    return { ...(await toToolResult(ports.parts, { record, target, context })), cost };
  } catch (error) {
    const reason = error instanceof ToolError ? error.message : formatFileError(error);
    const output = `The image was created and is in the user's gallery, but could not be saved as a file. ${reason}`;
    return { output, failed: true, cost };
  }
}

interface SaveInput {
  readonly plan: PlannedCall;
  readonly record: ImageRecord;
  readonly context: ToolContext;
}

/**
 * Saves the image in the folder that the user confirmed.
 * @throws ToolError if the folder now leads to another location; the file system's error
 */
async function save(
  { parts, paths, changes }: Ports,
  { plan, record, context }: SaveInput,
): Promise<vscode.Uri> {
  const target = await parts.saver.saveChecked(record, plan.folder, async (path) => {
    await assertSameFolder(paths, plan.path, path);
    await changes.willChange(context, path);
  });
  await changes.didChange(context, { type: 'create', uri: target });
  return target;
}

/**
 * Checks that the path still leads to the folder that the user confirmed. The file name may differ: its extension
 * depends on the received format, and another file may have taken the planned name.
 * @throws ToolError if the folder differs
 */
async function assertSameFolder(
  paths: Paths,
  planned: ResolvedPath,
  target: vscode.Uri,
): Promise<void> {
  const { facts } = await paths.resolve(getRelativePath(target));
  const isUnchanged =
    facts.kind === 'missing' &&
    !facts.isLink &&
    facts.isRealPathInWorkspace === planned.facts.isRealPathInWorkspace &&
    posix.dirname(facts.realPath) === posix.dirname(planned.facts.realPath);
  if (!isUnchanged)
    throw new ToolError('refused-path', 'The folder leads to another place than before.');
}

async function toToolResult(
  { gallery }: ImageServices,
  { record, target, context }: { record: ImageRecord; target: vscode.Uri; context: ToolContext },
): Promise<ToolResult> {
  const label = getRelativePath(target);
  const text = formatSavedImage(record, label);
  if (!context.vision) return { output: text, target: label };
  if (record.bytes > maxReturnedBytes) {
    return { output: `${text} It is too large to be shown to you.`, target: label };
  }
  const data = (await readFile(gallery.getImagePath(record))).toString('base64');
  const mediaType: ToolImage['mediaType'] = `image/${record.format}`;
  return { output: text, target: label, images: [{ mediaType, data }] };
}

/**
 * Returns the path for display: relative to its workspace folder, and with the folder's name if there are several
 * folders.
 */
const getRelativePath = (uri: vscode.Uri): string => vscode.workspace.asRelativePath(uri);
