"""The page in the browser: place points, step, and watch the proof. It draws what the library computes."""
