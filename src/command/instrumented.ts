// A text of JavaScript in which a check gets the operands of operators, and what a property is read of, before the operator or
// the property does: `a + b` becomes `check(0, (a)) + check(1, (b))`.

import type { AnyNode, Node } from 'acorn';

/** Where a check stands in the text, and what for. */
export type Site =
  | {
      readonly kind: 'operand';
      readonly operator: string;
      /** What says the same in ReQL. */
      readonly instead: string;
      readonly offset: number;
    }
  | { readonly kind: 'property'; readonly name: string; readonly offset: number };

/** What says in ReQL what operators of two operands say in JavaScript. */
const BINARY: Readonly<Record<string, string>> = {
  '+': '.add(...)',
  '-': '.sub(...)',
  '*': '.mul(...)',
  '/': '.div(...)',
  '%': '.mod(...)',
  '**': '.mul(...)',
  '<': '.lt(...)',
  '<=': '.le(...)',
  '>': '.gt(...)',
  '>=': '.ge(...)',
  '==': '.eq(...)',
  '===': '.eq(...)',
  '!=': '.ne(...)',
  '!==': '.ne(...)',
  '&&': '.and(...)',
  '||': '.or(...)',
  '??': '.default(...)',
  '&': '.bitAnd(...)',
  '|': '.bitOr(...)',
  '^': '.bitXor(...)',
  '<<': '.bitSal(...)',
  '>>': '.bitSar(...)',
  '>>>': '.bitSar(...)',
  in: '.hasFields(...)',
  instanceof: '.typeOf()',
};

const UNARY: Readonly<Record<string, string>> = {
  '!': '.not()',
  '-': '.mul(-1)',
  '+': ".coerceTo('number')",
  '~': '.bitNot()',
};

const BRANCH = 'r.branch(...)';

/** Pieces of a text, rewritten; `sites` says what each check is for. */
export class Instrumented {
  readonly sites: Site[] = [];
  readonly #text: string;
  readonly #check: string;

  /** @param check the name of the check, a function of the number of a site and a value, that returns the value */
  constructor(text: string, check: string) {
    this.#text = text;
    this.#check = check;
  }

  /** The text of a node. */
  of(node: Node): string {
    const checks = new Map(this.#checksOf(node as AnyNode));
    let text = '';
    let from = node.start;
    for (const child of childrenOf(node)) {
      text += this.#text.slice(from, child.start);
      const site = checks.get(child);
      text += site === undefined ? this.of(child) : this.#checked(site, child);
      from = child.end;
    }
    return text + this.#text.slice(from, node.end);
  }

  #checked(site: Site, node: Node): string {
    const number = this.sites.push(site) - 1;
    return `${this.#check}(${number}, (${this.of(node)}))`;
  }

  /** The children of a node that are checked. */
  #checksOf(node: AnyNode): readonly (readonly [child: Node, site: Site])[] {
    const operand = (child: Node, operator: string, instead: string | undefined, offset: number) =>
      instead === undefined ? [] : [[child, { kind: 'operand', operator, instead, offset }] as const];
    switch (node.type) {
      case 'BinaryExpression': {
        const offset = this.#text.indexOf(node.operator, node.left.end);
        return [node.left, node.right].flatMap((child) => operand(child, node.operator, BINARY[node.operator], offset));
      }
      case 'LogicalExpression':
        return operand(
          node.left,
          node.operator,
          BINARY[node.operator],
          this.#text.indexOf(node.operator, node.left.end),
        );
      case 'AssignmentExpression':
        return operand(node.right, node.operator, BINARY[node.operator.slice(0, -1)], node.right.start);
      case 'UnaryExpression':
        return operand(node.argument, node.operator, UNARY[node.operator], node.start);
      case 'ConditionalExpression':
        return operand(node.test, '? :', BRANCH, this.#text.indexOf('?', node.test.end));
      case 'IfStatement':
        return operand(node.test, 'if', BRANCH, node.start);
      case 'TemplateLiteral':
        return node.expressions.flatMap((child) => operand(child, `\${}`, BINARY['+'], child.start));
      case 'MemberExpression':
        if (node.computed || node.property.type !== 'Identifier' || node.object.type === 'Super') return [];
        return [[node.object, { kind: 'property', name: node.property.name, offset: node.property.start }]];
      default:
        return [];
    }
  }
}

/** The nodes directly below, in the order of the text. What stands there for two things at once, as `{n}`, is left as it is. */
function childrenOf(node: Node): readonly Node[] {
  if ('shorthand' in node && node.shorthand === true) return [];
  return Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}
