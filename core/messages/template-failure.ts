/** What is wrong with the text of a template. */

export interface TextProblem {
  /** Line and column, both from 1. @default - the problem concerns the whole text */
  readonly line?: number;
  readonly column?: number;
  /** `expected …` */
  readonly message: string;
}

/** Thrown when rendering fails. `renderTemplate` catches it. */
export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';
  readonly problem: TextProblem;
  readonly isSlow: boolean;

  constructor(problem: TextProblem, isSlow = false) {
    super(problem.message);
    this.problem = problem;
    this.isSlow = isSlow;
  }
}
