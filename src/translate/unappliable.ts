/** 422 for patches, in kube-apiserver's words. */
import { ApiError } from '../errors.ts';

/** `why` of a patch that a `test` in it has ended. */
export const TEST_FAILED = 'test-failed';

/**
 * A JSON patch that cannot be applied. kube-apiserver never says which operation failed.
 * @param cause for the log
 */
export function unappliable(cause: string, why?: typeof TEST_FAILED): ApiError {
  return new ApiError('ERR_INVALID', 'the server rejected our request due to an error in our request', {
    details: {},
    cause,
    ...(why === undefined ? {} : { why }),
  });
}
