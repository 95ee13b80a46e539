// Functions without a body, which the runtime has, need a file of this kind beside them.
