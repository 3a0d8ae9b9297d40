// Values that are told apart by a text which takes long to write.

/** Values by their texts. That of the first one is not written before there is another: most queries have one of a kind. */
export class ByText<Value> {
  readonly #values = new Map<string, Value>();
  /** The first one, until its text is written. */
  #first: { readonly text: () => string; readonly value: Value } | undefined;

  /** The value of a text, which is made where there is none. */
  valueOf(text: () => string, make: () => Value): Value {
    if (!this.#isEmpty()) return this.#known(text(), make);
    const value = make();
    // Whoever makes it may have made others meanwhile.
    if (!this.#isEmpty()) return this.#known(text(), () => value);
    this.#first = { text, value };
    return value;
  }

  #isEmpty(): boolean {
    return this.#first === undefined && this.#values.size === 0;
  }

  #known(text: string, make: () => Value): Value {
    if (this.#first !== undefined) {
      this.#values.set(this.#first.text(), this.#first.value);
      this.#first = undefined;
    }
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const made = make();
    this.#values.set(text, made);
    return made;
  }
}
