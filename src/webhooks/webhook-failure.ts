/** Why a webhook gave no answer, in the API server's words and the tenant's terms: the tenant is told. */
export class WebhookFailure extends Error {
  /** True where something was answered, and it was not what was asked for. */
  readonly isAnswer: boolean;
  readonly timedOut: boolean;

  constructor(message: string, options: ErrorOptions & { isAnswer?: boolean; timedOut?: boolean } = {}) {
    super(message, options);
    this.name = 'WebhookFailure';
    this.isAnswer = options.isAnswer ?? false;
    this.timedOut = options.timedOut ?? false;
  }
}
