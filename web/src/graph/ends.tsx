import { Handle, Position } from "@xyflow/react";

/** The library draws an edge only between handles; where ours go is in the layout, so these are not seen. */
export function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}
