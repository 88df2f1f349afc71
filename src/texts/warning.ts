/** Stands first in every draft and with every result: the one thing that people must not forget. */
export const WARNING =
  'Passing tests do not mean that this change is correct. Review it as you would a stranger’s patch.';
