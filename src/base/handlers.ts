/**
 * Table with one handler per message type. A missing handler or a handler for an unknown type is a
 * compile error.
 */
export type Handlers<
  Message extends { readonly type: string },
  Args extends readonly unknown[],
  Result,
> = {
  readonly [Type in Message['type']]: (
    message: Extract<Message, { readonly type: Type }>,
    ...args: Args
  ) => Result;
};

/** Calls the handler for the type of the message. */
export function dispatchMessage<
  Message extends { readonly type: string },
  Args extends readonly unknown[],
  Result,
>(handlers: Handlers<Message, Args, Result>, message: Message, ...args: Args): Result {
  const handle = handlers[message.type as Message['type']] as (
    message: Message,
    ...args: Args
  ) => Result;
  return handle(message, ...args);
}

/** Checks whether the table has a handler for the type of the message. */
export function hasHandler<Message extends { readonly type: string }, Type extends Message['type']>(
  handlers: Readonly<Record<Type, unknown>>,
  message: Message,
): message is Extract<Message, { readonly type: Type }> {
  return Object.hasOwn(handlers, message.type);
}
