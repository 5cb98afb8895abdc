print(pair(left, right));
