import * as vscode from 'vscode';
import type { JsonSchema, Tool, ToolArguments } from '../../agent/tool.ts';
import type { ToolFactory, ToolPorts } from '../../agent/vscode/agent-runtime.ts';
import type { Lazy } from '../../base/lazy.ts';
import type { Host } from '../../host.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { GenerateImageCall, ImageChange } from './generate-image-call.ts';
import type { ImageRuntime } from './image-runtime.ts';
import type { ModelType } from '../../service/model-types.ts';

type ImageToolPlanner = Pick<ImageRuntime, 'planCall' | 'planChange'>;

/**
 * Creates a function that returns the agent's image tools: one that generates images, and several that change images.
 * The model receives the definitions of the tools that change images only when it looks them up. Excludes tools for
 * which the service has no model. Without a workspace folder, returns no tools.
 */
export const createImageTools =
  ({ models }: Pick<Host, 'models'>, images: Lazy<ImageToolPlanner>): ToolFactory =>
  (ports) => {
    const generateImageTool = createGenerateImageTool(() => images.get(), ports);
    const changes = changeTools.map(({ modelTypes, ...options }) => ({
      tool: createChangeTool(() => images.get(), ports, options),
      modelTypes,
    }));
    return () => {
      if ((vscode.workspace.workspaceFolders ?? []).length === 0) return [];
      const types = new Set(models.models.map(({ type }) => type));
      const availableChanges = changes.filter(({ modelTypes }) =>
        modelTypes.some((type) => types.has(type)),
      );
      return [
        ...(types.has('image') ? [generateImageTool] : []),
        ...availableChanges.map(({ tool }) => tool),
      ];
    };
  };

interface ChangeToolOptions extends Pick<Tool, 'name' | 'summary' | 'description'> {
  readonly change: ImageChange;
  /** Types of models that can execute the tool. The tool is available if the service has at least one such model. */
  readonly modelTypes: readonly ModelType[];
  readonly properties: JsonSchema;
  readonly required: readonly string[];
}

const imageProperty = { type: 'string', description: 'Path of the image in the workspace.' };
const promptProperty = { type: 'string', description: 'The change, or the combined image.' };
const newFileNote =
  'Saves the result as a new workspace file and returns its path. Costs the user money: call it only when the user wants it.';

const changeTools: readonly ChangeToolOptions[] = [
  {
    name: 'edit_image',
    change: 'edit',
    modelTypes: ['inpaint'],
    summary: 'changes an image file by a prompt',
    description: `Changes an image by a prompt. ${newFileNote}`,
    properties: { image: imageProperty, prompt: promptProperty, model: { type: 'string' } },
    required: ['image', 'prompt'],
  },
  {
    name: 'combine_images',
    change: 'combine',
    modelTypes: ['inpaint'],
    summary: 'merges several image files',
    description: `Merges several images into one by a prompt. ${newFileNote}`,
    properties: {
      images: { type: 'array', items: imageProperty, minItems: 2, maxItems: 10 },
      prompt: promptProperty,
      model: { type: 'string' },
    },
    required: ['images', 'prompt'],
  },
  {
    name: 'upscale_image',
    change: 'upscale',
    modelTypes: ['upscale'],
    summary: 'enlarges an image file 2 or 4 times',
    description: `Enlarges an image. ${newFileNote}`,
    properties: { image: imageProperty, scale: { enum: [2, 4] } },
    required: ['image'],
  },
  {
    name: 'remove_background',
    change: 'remove-background',
    // The endpoint uses no selectable model. Services that have a model of one of these types also have the endpoint.
    modelTypes: ['inpaint', 'upscale'],
    summary: 'cuts out the subject of an image file',
    description: `Removes the background of an image. ${newFileNote}`,
    properties: { image: imageProperty },
    required: ['image'],
  },
];

/** Creates a tool that changes image files and saves the results as new files. Each call costs money. */
const createChangeTool = (
  loadPlanner: () => Promise<ImageToolPlanner>,
  ports: ToolPorts,
  { change, properties, required, ...definition }: Omit<ChangeToolOptions, 'modelTypes'>,
): Tool =>
  createPlannedTool({
    ...definition,
    parameters: { type: 'object', properties, required, additionalProperties: false },
    planCall: async (args) => (await loadPlanner()).planChange(ports, change, args),
  });

/**
 * Creates the agent's tool that generates an image and saves it as a file. The model cannot choose the file name. Each
 * call costs money.
 */
function createGenerateImageTool(
  loadPlanner: () => Promise<ImageToolPlanner>,
  ports: ToolPorts,
): Tool {
  return createPlannedTool({
    name: 'generate_image',
    description:
      'Creates an image from a prompt and saves it as a new workspace file; returns its path. Each image costs the user money: call it only when the user wants one.',
    parameters: {
      type: 'object',
      properties: {
        prompt: {
          type: 'string',
          description: 'What the image shows, in detail: subject, style, light, colors.',
        },
        negative_prompt: { type: 'string', description: 'What must not be in it.' },
        aspect_ratio: { type: 'string', description: 'Such as 1:1, 16:9 or 9:16.' },
        size: { type: 'string', description: 'In pixels, as 1024x768, or as 1K, 2K or 4K.' },
        model: {
          type: 'string',
          description: "An image model id. Omit it for the user's choice.",
        },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    planCall: async (args) => (await loadPlanner()).planCall(ports, args),
  });
}

interface PlannedTool extends Pick<Tool, 'name' | 'summary' | 'description' | 'parameters'> {
  readonly planCall: (args: ToolArguments) => Promise<GenerateImageCall>;
}

/** Creates a tool that executes each call exactly as planned for the approval request. */
function createPlannedTool({ planCall, ...definition }: PlannedTool): Tool {
  const calls = new WeakMap<ToolArguments, GenerateImageCall>();
  return {
    ...definition,
    kind: 'edit',
    async plan(args) {
      const call = await planCall(args);
      calls.set(args, call);
      return call.plan;
    },
    run(args, context) {
      const call = calls.get(args);
      // A call without a plan was not confirmed by the user.
      if (call === undefined) throw new ToolError('failed', 'The call was not planned.');
      return call.run(context);
    },
  };
}
