import type { Withdrawal } from '../publish/ask-again.ts';
import type { PushRefusal } from '../publish/push-answer.ts';

/** Why a finished change was not published: no longer wanted, or refused by the forge. */
export type PublishRefusal = Withdrawal | PushRefusal;
