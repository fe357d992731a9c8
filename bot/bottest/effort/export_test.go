package effort

// Racing is racing.
const Racing = racing
