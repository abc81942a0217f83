/** Makes the nodes of one expression, each with an id of its own. */
import type {
  CallNode,
  ConstNode,
  Expr,
  FieldEntry,
  FoldNode,
  IdentNode,
  ListNode,
  MapEntry,
  MapNode,
  SelectNode,
  StructNode,
} from './ast.ts';
import type { Constant } from './values.ts';

const NONE: ReadonlySet<number> = new Set();

export class NodeFactory {
  #lastId = 0;

  id(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  constant(at: number, value: Constant): ConstNode {
    return { is: 'const', id: this.id(), at, value };
  }

  ident(at: number, name: string): IdentNode {
    return { is: 'ident', id: this.id(), at, name };
  }

  select(at: number, operand: Expr, field: string, test = false): SelectNode {
    return { is: 'select', id: this.id(), at, operand, field, test };
  }

  call(at: number, name: string, args: readonly Expr[], target?: Expr): CallNode {
    return { is: 'call', id: this.id(), at, name, args, target };
  }

  list(at: number, elements: readonly Expr[], optional = NONE): ListNode {
    return { is: 'list', id: this.id(), at, elements, optional };
  }

  map(at: number, entries: readonly MapEntry[]): MapNode {
    return { is: 'map', id: this.id(), at, entries };
  }

  struct(at: number, type: string, fields: readonly FieldEntry[]): StructNode {
    return { is: 'struct', id: this.id(), at, type, fields };
  }

  fold(at: number, parts: Omit<FoldNode, 'is' | 'id' | 'at'>): FoldNode {
    return { is: 'fold', id: this.id(), at, ...parts };
  }
}
