-- A sample.
module Main where
import Data.List (sort)

data T = A Int | B { name :: String }

f :: Int -> Int
f x = case x of
  0 -> 1
  n -> n * 2

main :: IO ()
main = do
  print (f 3)
  putStrLn "text"
