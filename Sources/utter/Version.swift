/// The version that `utter --version` tells.
let utterVersion = "0.1.0"
