// What a generated file is.

/** A file and its whole text; the path is relative to the project. */
export interface Generated {
  readonly path: string;
  readonly text: string;
}
