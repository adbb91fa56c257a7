import * as l10n from '@vscode/l10n';
import type { Connection, OptionalField } from '../http/connection.ts';
import { cacheFields } from './prompt-cache.ts';
import type {
  ChatRequest,
  ChatRequestMessage,
  ContentPart,
  ServiceParameters,
} from './chat-types.ts';

/**
 * Returns the fields of a chat request that a service or a model may refuse.
 * @param areOptionsChosen True if the user chose the options of the request. A chosen option is left out only if the user
 * agrees.
 */
export function listOptionalFields(
  request: ChatRequest,
  areOptionsChosen: boolean,
): readonly OptionalField[] {
  const getChosenName = (name: string): string | undefined => (areOptionsChosen ? name : undefined);
  const { parameters = {} } = request;
  const chosenParameters = areOptionsChosen ? listChosenParameters(parameters) : [];
  const fields: readonly (OptionalField | undefined)[] = [
    // Only public facts define these fields, and no user chooses them.
    ...cacheFields,
    createParameterField('include_search_results_in_stream', undefined),
    // Only a field that disables encryption is optional.
    parameters.enable_e2ee === false
      ? { path: 'parameters.enable_e2ee', key: 'parameters.enable_e2ee:false' }
      : undefined,
    createParameterField('enable_x_search', getChosenName(l10n.t('Search X'))),
    createDocumentsField(request),
    ...listModelFields(request, areOptionsChosen),
    createParametersField(chosenParameters),
  ];
  return fields.filter((field) => field !== undefined);
}

/**
 * Returns the fields of a chat request that only some models accept.
 * @param areOptionsChosen True if the user chose the options of the request. A chosen option is left out only if the user
 * agrees.
 */
export function listModelFields(
  request: ChatRequest,
  areOptionsChosen: boolean,
): readonly OptionalField[] {
  const getChosenName = (name: string): string | undefined => (areOptionsChosen ? name : undefined);
  return [
    createModelField(request, 'seed', getChosenName(l10n.t('Seed'))),
    createModelField(request, 'stop', getChosenName(l10n.t('Stop at'))),
    createModelField(request, 'verbosity', getChosenName(l10n.t('Length of answers'))),
    createModelField(request, 'reasoning_effort', getChosenName(l10n.t('Reasoning effort'))),
    createModelField(request, 'response_format', getChosenName(l10n.t('Format of answers'))),
    ...(areOptionsChosen ? listFieldsOptionalIfChosen(request) : []),
  ];
}

/**
 * Returns the fields that may be left out only if the user chose them and agrees to the omission, such as
 * `temperature`. Requests with options that the user did not choose always contain these fields.
 */
function listFieldsOptionalIfChosen(request: ChatRequest): readonly OptionalField[] {
  const { extraFields = {} } = request;
  return [
    createModelField(request, 'temperature', l10n.t('Temperature')),
    createModelField(request, 'top_p', l10n.t('Top P')),
    createModelField(request, 'max_completion_tokens', l10n.t('Longest answer')),
    ...Object.keys(extraFields).map((name) => createModelField(request, name, name)),
  ];
}

const createParameterField = (
  name: keyof ServiceParameters,
  chosenName: string | undefined,
): OptionalField => createField(`parameters.${name}`, `parameters.${name}`, chosenName);

const createModelField = (
  { model }: ChatRequest,
  path: string,
  chosenName: string | undefined,
): OptionalField => createField(path, `${path}:${model}`, chosenName);

const createField = (path: string, key: string, chosenName: string | undefined): OptionalField =>
  chosenName === undefined ? { path, key } : { path, key, chosenName };

/**
 * Returns the vendor parameters of a request (spec §2.3) as a single optional field. The key of the field lists the
 * parameters that the user chose, so that the user's agreement to leave them out applies to no other parameters.
 */
function createParametersField(
  chosenParameters: readonly (readonly [parameter: string, name: string])[],
): OptionalField {
  if (chosenParameters.length === 0) return { path: 'parameters', key: 'parameters' };
  return {
    path: 'parameters',
    key: `parameters:${chosenParameters.map(([parameter]) => parameter).join()}`,
    chosenName: chosenParameters.map(([, name]) => name).join(', '),
  };
}

/** Returns the parameters that the user can choose, with their display names. */
function listChosenParameters(
  parameters: ServiceParameters,
): readonly (readonly [parameter: string, name: string])[] {
  const labels: Readonly<Partial<Record<keyof ServiceParameters, string>>> = {
    enable_web_search: l10n.t('Web search'),
    enable_web_scraping: l10n.t('Read pages'),
    enable_x_search: l10n.t('Search X'),
    strip_thinking_response: l10n.t('Leave out thoughts'),
    disable_thinking: l10n.t('Answer without thinking'),
    include_system_prompt: l10n.t('System prompt of the service'),
    character_slug: l10n.t('Persona'),
  };
  return Object.entries(labels).filter(([parameter]) => {
    // Requests switch off the system prompt of the service by default.
    if (parameter === 'include_system_prompt') return parameters.include_system_prompt === true;
    return parameter in parameters;
  });
}

/**
 * Matches error texts of services that accept no documents. The first alternative matches a service that rejects
 * unknown fields; the others match llama.cpp, vLLM and services with OpenAI's texts.
 */
export const refusedFilePattern =
  /content[.[]\d+\]?\.type\b|unsupported content\[\]\.type|unknown part type: file|invalid value: 'file'/i;

/** Returns the file names of the documents in a request. */
export const listDocumentNames = (messages: ChatRequest['messages']): readonly string[] =>
  messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? content.flatMap((part: ContentPart) => (part.type === 'file' ? [part.file.filename] : []))
      : [],
  );

/**
 * Returns the documents of a request as a single optional field; `undefined` if there are none. Documents always count
 * as chosen by the user. The key of the field lists the file names, so that the user's agreement to leave these
 * documents out applies to no other documents.
 */
function createDocumentsField({ messages }: ChatRequest): OptionalField | undefined {
  const names = listDocumentNames(messages);
  if (names.length === 0) return undefined;
  return {
    path: 'messages.file',
    key: `messages.file:${names.join()}`,
    refusalPattern: refusedFilePattern,
    chosenName: l10n.t('{0}: {1}', l10n.t('Documents'), names.join(', ')),
  };
}

/**
 * Replaces each document of a request with a note if the user agreed to send the request without documents. Otherwise
 * returns the request unchanged.
 */
export function removeOmittedDocuments(request: ChatRequest, connection: Connection): ChatRequest {
  const field = createDocumentsField(request);
  if (field === undefined || !connection.isOmitted(field)) return request;
  return { ...request, messages: request.messages.map(removeDocuments) };
}

function removeDocuments(message: ChatRequestMessage): ChatRequestMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.map((part): ContentPart =>
      part.type === 'file'
        ? {
            type: 'text',
            text: `[The document ${part.file.filename} was left out: this service accepts no documents.]`,
          }
        : part,
    ),
  };
}
