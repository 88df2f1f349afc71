import type { Tool } from '../types.ts';
import { createBashTool } from './bash.ts';
import { createEditTool } from './edit.ts';
import { createGlobTool } from './glob.ts';
import { createInSandbox, type ToolSandbox } from './in-sandbox.ts';
import { createReadTool } from './read.ts';
import { createWriteTool } from './write.ts';

/** The five tools of one run, all acting inside the sandbox. To be made once per sandbox: call ids count up. */
export function createTools(sandbox: ToolSandbox): readonly Tool[] {
  const inside = createInSandbox(sandbox);
  return [
    createReadTool(inside),
    createWriteTool(inside),
    createEditTool(inside),
    createGlobTool(inside),
    createBashTool(inside),
  ];
}
