/** A piece of another place that may tell the model how to go on. Never from a file that may hold secrets. */
export interface ContextPart {
  /**
   * `definition`: of a symbol near the cursor. `import`: what an imported file offers. `edit`: what was changed lately.
   * `similar`: from an open file, alike to what stands around the cursor. `cell`: of the same notebook, above.
   */
  readonly kind: 'definition' | 'import' | 'edit' | 'similar' | 'cell';
  /** As in a snapshot. */
  readonly path: string;
  /** Line ends are `\n`. */
  readonly text: string;
}
